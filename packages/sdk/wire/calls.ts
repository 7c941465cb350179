import type { Tombstone } from "../shapes.ts";
import type { List } from "../types.ts";
import type { CallOptions, PostOptions, Query, QueryOptions, QueryValue } from "./request.ts";
import type { Transport } from "./transport.ts";

/** Calls of the management API by what they do; each one's type is what the service documents. */
export interface Calls {
	get<T>(path: string, options?: QueryOptions): Promise<T>;
	/** Bytes that are not JSON: an image file. */
	download(path: string, options?: QueryOptions): Promise<Blob>;
	/** Bytes of any number, which are read as they come, however long that takes: whoever has enough cancels the stream. */
	stream(path: string, options?: QueryOptions): Promise<ReadableStream<Uint8Array>>;
	post<T>(path: string, body?: object, options?: PostOptions): Promise<T>;
	/** A POST of which a second one does no more than the first; sent again after a transient failure. */
	assure<T>(path: string, options?: CallOptions): Promise<T>;
	patch<T>(path: string, body: object, options?: CallOptions): Promise<T>;
	put<T>(path: string, body: object, options?: CallOptions): Promise<T>;
	/** A deletion that answers with something else than a tombstone: a job. */
	start<T>(path: string, options?: QueryOptions): Promise<T>;
	/** After a lost answer, an object that is gone counts as removed. */
	remove(object: string, path: string, id: string, options?: QueryOptions): Promise<Tombstone>;
}

export function callsOn(transport: Transport): Calls {
	const send = <T>(method: string, path: string, body?: object, options: QueryOptions & PostOptions = {}) =>
		transport.send(method, path, { ...options, ...(body && { body }) }) as Promise<T>;
	return {
		get: (path, options) => send("GET", path, undefined, options),
		download: (path, options = {}) => transport.download(path, options),
		stream: (path, options = {}) => transport.stream(path, options),
		post: (path, body, options) => send("POST", path, body, options),
		assure: <T>(path: string, options: CallOptions = {}) => transport.repeat("POST", path, options) as Promise<T>,
		patch: (path, body, options) => send("PATCH", path, body, options),
		put: (path, body, options) => send("PUT", path, body, options),
		start: (path, options) => send("DELETE", path, undefined, options),
		remove: (object, path, id, options = {}) =>
			transport.remove(path, options, { id, object, deleted: true }) as Promise<Tombstone>,
	};
}

/**
 * ISO 8601, for a date in whatever form it was given; a number is seconds since 1970. What is no date goes as it is, for the service to
 * refuse: of numbers as text it takes those of four and eight digits for years and days.
 */
export function dateText(date: Date | string | number | null | undefined): string | null | undefined {
	if (typeof date !== "number") return date instanceof Date ? date.toISOString() : date;
	const at = new Date(Number.isInteger(date) ? date * 1_000 : Number.NaN);
	return Number.isNaN(at.getTime()) ? String(date) : at.toISOString();
}

/**
 * The same calls, and those that have another name now under their old one as well, for version 1.
 * @param names the new name by the old one
 */
export function withOldNames<T extends object, const N extends Readonly<Record<string, keyof T>>>(
	calls: T,
	names: N,
): T & { readonly [Old in keyof N]: T[N[Old]] } {
	const old = Object.entries(names).map(([name, now]) => [name, calls[now]] as const);
	return { ...calls, ...Object.fromEntries(old) } as T & { readonly [Old in keyof N]: T[N[Old]] };
}

export interface PageOptions extends CallOptions {
	/** Items on a page, 1 to 100. Default: 50. */
	readonly limit?: number | undefined;
	/** `next_cursor` of an earlier page, with the same filter. */
	readonly cursor?: string | undefined;
}

/** Values by the name of the query parameter. */
type Filters = Readonly<Record<string, QueryValue | Date>>;
type Unfiltered = Record<never, never>;

/** A list that comes in pages. */
export interface Pages<Item, Filter extends Filters = Unfiltered, Page extends List<Item> = List<Item>> {
	/** Fetches one page. */
	list(options?: PageOptions & Partial<Filter>): Promise<Page>;
	/** Yields every item from `cursor` on; pages are fetched as they are needed. */
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

	return { list, all: (options) => eachOf(list, options) };
}

/** Yields every item of a list from `cursor` on. */
export async function* eachOf<Item, Options extends { readonly cursor?: string | undefined }>(
	list: (options: Options) => Promise<List<Item>>,
	options: Options = {} as Options,
): AsyncGenerator<Item, void, undefined> {
	let { cursor } = options;
	do {
		const page = await list({ ...options, cursor });
		yield* page.data;
		cursor = page.pagination.next_cursor ?? undefined;
	} while (cursor !== undefined);
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
