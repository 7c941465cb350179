import type { Query, QueryValue } from "./query.ts";
import type { CallOptions } from "./request.ts";
import type { Transport } from "./transport.ts";
import type { List } from "./types.ts";

export interface PageOptions extends CallOptions {
	/** Things on a page, 1 to 100. Default: 50. */
	readonly limit?: number | undefined;
	/** `next_cursor` of an earlier page, with the same filter. */
	readonly cursor?: string | undefined;
}

/** Values by the name of the query parameter. */
type Filters = Readonly<Record<string, QueryValue | Date>>;
type Unfiltered = Record<never, never>;

/** A list that comes in pages. */
export interface Pages<Item, Filter extends Filters = Unfiltered, Page extends List<Item> = List<Item>> {
	/** One page. */
	list(options?: PageOptions & Partial<Filter>): Promise<Page>;
	/** Every thing from `cursor` on; pages are fetched as they are needed. */
	all(options?: PageOptions & Partial<Filter>): AsyncGenerator<Item, void, undefined>;
}

interface Selection<Filter> {
	/** Query parameters that the caller may give. */
	readonly filters?: readonly (keyof Filter & string)[];
	/** Query parameters that make the list what it is. */
	readonly fixed?: Query;
}

export function pagesOf<Item, Filter extends Filters = Unfiltered, Page extends List<Item> = List<Item>>(
	transport: Transport,
	path: string,
	{ filters = [], fixed = {} }: Selection<Filter> = {},
): Pages<Item, Filter, Page> {
	type Options = PageOptions & Partial<Filter>;

	function list(options: Options = {} as Options): Promise<Page> {
		const wanted = filters.map((name) => [name, textOf(options[name])] as const);
		const query = { ...fixed, ...Object.fromEntries(wanted), limit: options.limit, cursor: options.cursor };
		return transport.send("GET", path, { ...options, query }) as Promise<Page>;
	}

	async function* all(options: Options = {} as Options): AsyncGenerator<Item, void, undefined> {
		let cursor = options.cursor;
		do {
			const page = await list({ ...options, cursor });
			yield* page.data;
			cursor = page.pagination.next_cursor ?? undefined;
		} while (cursor !== undefined);
	}

	return { list, all };
}

function textOf(value: QueryValue | Date): QueryValue {
	return value instanceof Date ? value.toISOString() : value;
}

/**
 * A path below `/v1`, its parts encoded.
 * @throws TypeError for a part that would make it another path: a call about one thing must not become one about all of them
 */
export function pathOf(...parts: readonly string[]): string {
	const astray = parts.find((part) => ["", ".", ".."].includes(part));
	if (astray !== undefined) throw new TypeError(`"${astray}" is not an id.`);
	return `/v1/${parts.map(encodeURIComponent).join("/")}`;
}
