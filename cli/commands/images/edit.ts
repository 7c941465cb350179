import type { ImageChanges, StringMapChange } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { UsageError } from "../../kit/exit.ts";
import { checkDate } from "../../kit/line/times.ts";
import type { Column } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { runChunks } from "../../kit/work/chunks.ts";
import { IMAGE_COLUMNS } from "./columns.ts";
import { readPairs, readTtl, readVisibility, VISIBILITY_ARGS } from "./create-fields.ts";

/** The fields of an image that can be changed. */
const EDIT_ARGS = {
	caption: { type: "string", valueHint: "text", description: "Caption; --caption= clears it" },
	ttl: { type: "string", valueHint: "7d", description: "Delete it after this time from now, 5m to 90d; or never" },
	"published-at": { type: "string", valueHint: "date", description: "ISO 8601 or unix seconds" },
	label: { type: "string", valueHint: "key=value", description: "Set a label; key= removes it" },
	metadata: { type: "string", valueHint: "key=value", description: "Set attribution; key= removes it" },
	"external-id": { type: "string", valueHint: "text", description: "Your own name for it; --external-id= clears it" },
	"if-label": { type: "string", valueHint: "key=value", description: "Change nothing unless it has this label" },
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
	...IMAGE_COLUMNS,
	{ name: "caption", value: (image) => image.caption, shrinks: true },
];

const ADVICE = {
	state_conflict:
		"It has other labels than --if-label says (svc images get <id> --field labels), or another image has this --external-id.",
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
	],
	args: EDIT_ARGS,
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	repeatable: ["label", "metadata", "if-label"],
	async run({ args, rest, all }, context) {
		const ids = [...new Set(rest)];
		const changes = readChanges(args, all);
		if (ids.length > 1 && changes.externalId !== undefined) throw new UsageError("--external-id is for one image.");
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
							? { object: "batch_result", data: [await images.edit(ids[0] ?? "", changes, options)], errors: [] }
							: images.editMany(chunk, changes, options),
				},
				context,
			),
		);
	},
});

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
