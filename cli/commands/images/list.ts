import type { LabelFilter } from "@svc/sdk/client";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { IMAGE_COLUMNS } from "./columns.ts";

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

export const list = defineLeaf({
	summary: "List images, newest first",
	notes: "A pipe gets: id, filename, format, size, bytes, published_at, url, labels.",
	examples: [
		"svc images list",
		"svc images list --label album=pets --all --field url",
		"svc images list --limit 5 -o jsonl",
	],
	args: {
		...LIST_ARGS,
		label: {
			type: "string",
			valueHint: "key=value",
			description: "Only images with this label; !key for those without",
		},
		ids: { type: "string", valueHint: "id,id", description: "Only these" },
	},
	repeatable: ["label"],
	async run({ args, all }, context) {
		const filter = { labels: readLabelFilter(all("label")), ids: args.ids?.split(",") };
		const { images } = await context.client();
		await printList(context, IMAGE_COLUMNS, args, (page) => images.list({ ...page, ...filter }));
		return EXIT.ok;
	},
});
