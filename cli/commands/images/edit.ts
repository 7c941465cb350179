import { UsageError } from "@svc/base/processes/exit";
import { IMAGE } from "@svc/nouns/image";
import type { ImageChanges, StringMapChange } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { checkDate } from "../../kit/line/times.ts";
import type { Column } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { runChunks } from "../../kit/work/chunks.ts";
import { readPairs, readTtl, readVisibility, VISIBILITY_ARGS } from "./create-fields.ts";

/** The fields of an image that can be changed. */
const EDIT_ARGS = {
	caption: takes.text("Caption; --caption= clears it", "text"),
	ttl: takes.text("Delete it after this time from now, 5m to 90d; or never", "7d"),
	"published-at": takes.text("ISO 8601 or unix seconds", "date"),
	label: takes.text("Set a label; key= removes it", "key=value"),
	metadata: takes.text("Set attribution; key= removes it", "key=value"),
	"external-id": takes.text("Your own name for it; --external-id= clears it", "text"),
	"if-label": takes.text("Change nothing unless it has this label", "key=value"),
	"if-revision": takes.text("Change nothing that somebody else has changed since this revision of it", "n"),
	...VISIBILITY_ARGS,
} as const;

interface Args {
	readonly caption?: string | undefined;
	readonly ttl?: string | undefined;
	readonly "published-at"?: string | undefined;
	readonly "external-id"?: string | undefined;
	readonly public?: boolean | undefined;
	readonly private?: boolean | undefined;
}

const COLUMNS: readonly Column<Image>[] = [
	...IMAGE.list,
	{ name: "caption", value: (image) => image.caption, shrinks: true },
];

const ADVICE = {
	state_conflict:
		"It has other labels than --if-label says (svc images get <id> --field labels), somebody else has changed it since --if-revision, or another image has this --external-id.",
	not_found: "See what there is: svc images list",
};

export const edit = defineCommand({
	summary: "Change images",
	notes:
		"What is not given stays as it is. JSON is an array, also for one image. Exit 3 when only some could be changed.",
	examples: [
		"svc images edit img_1 --caption 'A cat, asleep' --label album=pets",
		"svc images edit img_1 img_2 --ttl never --metadata author=",
		"svc images edit img_1 --label state=done --if-label state=open",
		"svc images edit img_1 --caption 'Two cats' --if-revision 1",
	],
	args: EDIT_ARGS,
	rest: takes.ids("Image ids"),
	repeatable: ["label", "metadata", "if-label"],
	async run({ args, rest, all }, context) {
		const ids = [...new Set(rest)];
		const changes = readChanges(args, all);
		if (ids.length > 1 && changes.externalId !== undefined) throw new UsageError("--external-id is for one image.");
		const ifRevision = readRevision(args["if-revision"], ids.length);
		const { images } = await context.client();
		return advising(ADVICE, () =>
			runChunks<Image>(
				{
					ids,
					columns: COLUMNS,
					done: "changed",
					// About one image the service says more, and answers with its status.
					send: async (chunk, options) =>
						ids.length === 1
							? {
									object: "batch_result",
									data: [await images.edit(ids[0] ?? "", { ...changes, ifRevision }, options)],
									errors: [],
								}
							: images.editMany(chunk, changes, options),
				},
				context,
			),
		);
	},
});

/** @throws UsageError */
function readRevision(text: string | undefined, images: number): number | undefined {
	if (text === undefined) return undefined;
	if (images > 1) throw new UsageError("--if-revision is for one image.");
	if (/^\d{1,15}$/.test(text)) return Number(text);
	throw new UsageError(
		`--if-revision takes a whole number; not "${text}".`,
		"svc api GET /v1/images/<id>?include=revision",
	);
}

/** @throws UsageError where nothing would change */
function readChanges(args: Args, all: (flag: string) => readonly string[]): ImageChanges {
	const changes: ImageChanges = {
		caption: args.caption,
		ttl: args.ttl === "never" ? null : readTtl(args.ttl),
		publishedAt: checkDate("--published-at", args["published-at"]),
		labels: readChange("label", all("label")),
		metadata: readChange("metadata", all("metadata")),
		externalId: args["external-id"] === "" ? null : args["external-id"],
		public: readVisibility(args),
	};
	if (Object.values(changes).every((value) => value === undefined)) {
		throw new UsageError("Nothing to change was given.", "svc images edit --help");
	}
	return { ...changes, ifLabels: readPairs("if-label", all("if-label")) };
}

function readChange(flag: string, pairs: readonly string[]): StringMapChange | undefined {
	const map = readPairs(flag, pairs);
	return map && Object.fromEntries(Object.entries(map).map(([key, value]) => [key, value === "" ? null : value]));
}
