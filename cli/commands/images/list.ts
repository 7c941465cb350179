import { UsageError } from "@svc/base/processes/exit";
import { IMAGE } from "@svc/nouns/image";
import type { LabelFilter, ListOptions, Period } from "@svc/sdk/calls/image-lists";
import { IMAGE_FORMATS } from "@svc/sdk/lists";
import { defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { checkDate } from "../../kit/line/times.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { fields, pipeNote } from "../../kit/output/table.ts";
import { printLabels } from "../apps/usage.ts";

const DATE = { type: "string", valueHint: "date" } as const;

/** What chooses images of a list. */
export const FILTER_ARGS = {
	label: takes.text("Only images with this label; !key for those without", "key=value"),
	"created-from": { ...DATE, description: "Stored then or later, as 2026-11-01" },
	"created-to": { ...DATE, description: "Stored before" },
	"published-from": { ...DATE, description: "Published then or later" },
	"published-to": { ...DATE, description: "Published before" },
	"expires-from": { ...DATE, description: "Deleted by its ttl then or later" },
	"expires-to": { ...DATE, description: "Deleted by its ttl before" },
	format: takes.text(`Some of ${IMAGE_FORMATS.join(", ")}`, "format,format"),
	filename: takes.text("Only filenames that begin so", "text"),
	"external-id": takes.text("Only the image with this name of your own", "text"),
	search: takes.text("Only with these words, or longer ones, in filename, labels or caption", "words"),
	sha256: takes.text("Only images of these bytes, as they were sent", "hex"),
	"similar-to": takes.text("Only other images that look like this one", "img_…"),
} as const;

type FilterArgs = Readonly<Partial<Record<keyof typeof FILTER_ARGS, string | undefined>>>;

export const list = defineCommand({
	summary: "List images, newest first",
	notes: pipeNote(IMAGE.list),
	examples: [
		"svc images list",
		"svc images list --label album=pets --all --field url",
		"svc images list --created-from 2026-11-01 --format gif,webp",
		"svc images list --limit 5 -o jsonl",
	],
	args: {
		...LIST_ARGS,
		...FILTER_ARGS,
		ids: takes.text("Only these", "id,id"),
		"oldest-first": takes.flag("In the order in which they were published"),
	},
	repeatable: ["label"],
	async run({ args, all }, context) {
		const order = args["oldest-first"] ? ("asc" as const) : undefined;
		const filter = { ...readFilter(args, all("label")), ids: args.ids?.split(","), order };
		const { images } = await context.client();
		return printList(context, IMAGE.list, args, (page) => images.list({ ...page, ...filter }));
	},
});

const COUNT_COLUMNS = fields("total");

export const count = defineCommand({
	summary: "Count the images that fit a filter",
	notes: "Up to 100,000; null where there are more.",
	examples: ["svc images count", "svc images count --label album=pets --created-from 2026-11-01"],
	args: FILTER_ARGS,
	repeatable: ["label"],
	async run({ args, all }, { client, out, process }) {
		const { images } = await client();
		const filter = readFilter(args, all("label"));
		const { total = null } = await images.list({ ...filter, limit: 1, include: ["total"], signal: process.signal });
		await out.record(COUNT_COLUMNS, { total });
	},
});

export const labels = defineCommand({
	summary: "List the labels of the images that the key reaches",
	notes: "At most 1,000 of them. With --user those of that user.",
	examples: ["svc images labels", "svc images labels --prefix al"],
	args: { prefix: takes.text("Only keys that begin so", "text") },
	async run({ args }, context) {
		const { images } = await context.client();
		await printLabels(context, await images.labels(args.prefix, { signal: context.process.signal }));
	},
});

/** @throws UsageError */
export function readFilter(args: FilterArgs, wanted: readonly string[]): ListOptions {
	return {
		labels: readLabelFilter(wanted),
		created: readPeriod(args, "created"),
		published: readPeriod(args, "published"),
		expires: readPeriod(args, "expires"),
		formats: args.format?.split(",").map(readFormat),
		filenamePrefix: args.filename,
		externalId: args["external-id"],
		sha256: args.sha256,
		similarTo: args["similar-to"],
		q: args.search,
	};
}

function readPeriod(args: FilterArgs, name: "created" | "published" | "expires"): Period {
	const end = (side: "from" | "to") => checkDate(`--${name}-${side}`, args[`${name}-${side}`]);
	return { from: end("from"), to: end("to") };
}

function readFormat(word: string): (typeof IMAGE_FORMATS)[number] {
	const format = IMAGE_FORMATS.find((one) => one === word);
	if (format === undefined) throw new UsageError(`--format takes some of ${IMAGE_FORMATS.join(", ")}; not "${word}".`);
	return format;
}

function readLabelFilter(filters: readonly string[]): LabelFilter {
	const wanted = new Map<string, string | null>();
	for (const filter of filters) {
		const [, absent, key, value] = /^(?:!([^=]+)|([^=!][^=]*)=(.*))$/s.exec(filter) ?? [];
		const name = absent ?? key;
		if (name === undefined) throw new UsageError(`--label takes key=value, key=one,other or !key; not "${filter}".`);
		if (wanted.has(name)) throw new UsageError(`--label ${name} is given twice; several values are key=one,other.`);
		wanted.set(name, value ?? null);
	}
	return Object.fromEntries(wanted);
}
