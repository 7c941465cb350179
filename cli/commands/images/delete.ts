import { confirm } from "../../confirm.ts";
import { defineLeaf } from "../../leaf.ts";
import { counted, removeEach } from "../../removal.ts";
import { pathTo } from "../../team.ts";

export const deleteImages = defineLeaf({
	summary: "Delete images for good",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one image.",
	examples: ["svc images delete img_1 --yes", "svc images delete img_1 img_2 --yes"],
	args: {},
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	run: ({ rest }, context) =>
		removeEach(
			{
				ids: rest,
				verb: "deleted",
				path: (id) => pathTo("images", id),
				before: (ids) => confirm(context, `Delete ${counted("image", ids)} for good?`),
				remove: async (id) => (await context.client()).images.delete(id, { signal: context.world.signal }),
			},
			context,
		),
});
