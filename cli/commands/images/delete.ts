import type { Tombstone } from "@svc/sdk/types";
import { runBatch } from "../../batch.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { defineLeaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";

const COLUMNS: readonly Column<Tombstone>[] = [
	{ name: "id", value: (tombstone) => tombstone.id },
	{ name: "deleted", value: (tombstone) => tombstone.deleted },
];

export const deleteImages = defineLeaf({
	summary: "Delete images for good",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one image.",
	examples: ["svc images delete img_1 --yes", "svc images delete img_1 img_2 --yes"],
	args: {},
	rest: { name: "id", description: "Image ids", required: true },
	async run({ rest }, context) {
		const { client, globals, out, world } = context;
		const ids = [...new Set(rest)];
		const what = ids.length === 1 ? `image ${ids[0]}` : `${ids.length} images`;
		if (globals.dryRun) {
			return showPlan(
				out,
				ids.map((id) => ({ method: "DELETE", path: `/v1/images/${encodeURIComponent(id)}` })),
			);
		}
		await confirm(context, `Delete ${what} for good?`);
		const { images } = await client();
		const work = (id: string) => images.delete(id, { signal: world.signal });
		return runBatch({ items: ids, name: (id) => id, work, columns: COLUMNS }, context);
	},
});
