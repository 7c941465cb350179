import type { ImageChanges } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { chunksOf, runChunks } from "../../chunks.ts";
import { type PlannedCall, showPlan } from "../../dry-run.ts";
import { defineLeaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import { pathTo } from "../../team.ts";
import { IMAGE_COLUMNS } from "./columns.ts";
import { EDIT_ARGS, readChanges } from "./edit-fields.ts";

const COLUMNS: readonly Column<Image>[] = [
	...IMAGE_COLUMNS,
	{ name: "caption", value: (image) => image.caption, shrinks: true },
];

const ADVICE = {
	state_conflict: "It has other labels than --if-label says. See them: svc images get <id> --field labels",
	not_found: "See what there is: svc images list",
};

function plan(ids: readonly string[], changes: ImageChanges): PlannedCall[] {
	const { publishedAt: published_at, ifLabels: if_labels, ...rest } = changes;
	const body = { ...rest, published_at, if_labels };
	if (ids.length === 1) return [{ method: "PATCH", path: pathTo("images", ...ids), body }];
	return chunksOf(ids).map((chunk) => ({ method: "PATCH", path: "/v1/images/batch", body: { ids: chunk, ...body } }));
}

export const edit = defineLeaf({
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
		if (context.globals.dryRun) return showPlan(context.out, plan(ids, changes));
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
							? { object: "batch_result", data: [await images.update(ids[0] ?? "", changes, options)], errors: [] }
							: images.updateMany(chunk, changes, options),
				},
				context,
			),
		);
	},
});
