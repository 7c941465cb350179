import type { Client, LabelFilter, ListOptions } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/types";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { IMAGE_COLUMNS } from "./columns.ts";

const DEFAULT_LIMIT = 50;
const PAGE = 100;

/** `k=v`, `k=v1,v2`, and `!k` for images without that label. @throws UsageError */
export function readLabelFilter(filters: readonly string[]): LabelFilter {
	const labels = new Map<string, string | null>();
	for (const filter of filters) {
		const [, absent, key, value] = /^(?:!([^=]+)|([^=!][^=]*)=(.*))$/s.exec(filter) ?? [];
		const name = absent ?? key;
		if (name === undefined) throw new UsageError(`--label takes key=value, key=one,other or !key; not "${filter}".`);
		if (labels.has(name)) throw new UsageError(`--label ${name} is given twice; several values are key=one,other.`);
		labels.set(name, value ?? null);
	}
	return Object.fromEntries(labels);
}

function readLimit(limit: string | undefined, all: boolean): number {
	if (limit === undefined) return all ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT;
	if (all) throw new UsageError("--limit and --all exclude each other.");
	const number = /^\d{1,9}$/.test(limit) ? Number(limit) : 0;
	if (number < 1) throw new UsageError(`--limit takes a whole number from 1; not "${limit}".`);
	return number;
}

interface Walk {
	/** Where the rest begins, after the last image was taken. */
	next: string | undefined;
}

async function* take(
	client: Client,
	options: ListOptions,
	limit: number,
	walk: Walk,
): AsyncGenerator<Image, void, undefined> {
	let left = limit;
	let cursor = options.cursor;
	do {
		const page = await client.images.list({ ...options, cursor, limit: Math.min(PAGE, left) });
		yield* page.data;
		left -= page.data.length;
		cursor = page.pagination.next_cursor ?? undefined;
	} while (cursor !== undefined && left > 0);
	walk.next = cursor;
}

export const list = defineLeaf({
	summary: "List images, newest first",
	notes: "A pipe gets: id, filename, format, size, bytes, published_at, url, labels.",
	examples: [
		"svc images list",
		"svc images list --label album=pets --all --field url",
		"svc images list --limit 5 -o jsonl",
	],
	args: {
		limit: { type: "string", valueHint: "n", description: `At most this many; default ${DEFAULT_LIMIT}` },
		all: { type: "boolean", description: "Every one there is" },
		label: {
			type: "string",
			valueHint: "key=value",
			description: "Only images with this label; !key for those without",
		},
		ids: { type: "string", valueHint: "id,id", description: "Only these" },
		cursor: { type: "string", valueHint: "cursor", description: "Go on where an earlier list ended" },
	},
	repeatable: ["label"],
	async run({ args, all }, { client, out, world }) {
		const labels = readLabelFilter(all("label"));
		const limit = readLimit(args.limit, args.all === true);
		const walk: Walk = { next: undefined };
		const options = { labels, ids: args.ids?.split(","), cursor: args.cursor, signal: world.signal };
		await out.rows(IMAGE_COLUMNS, take(await client(), options, limit, walk));
		if (walk.next !== undefined) await out.note(`There are more: --all, or --cursor ${walk.next}`);
		return EXIT.ok;
	},
});
