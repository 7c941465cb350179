import { confirm } from "../../confirm.ts";
import { defineLeaf } from "../../leaf.ts";
import { moderate } from "./act.ts";

export const deleteModerated = defineLeaf({
	summary: "Delete anybody's images for good",
	notes: "For operators. Asks first, unless --yes is given. Their history stays; their open reports are settled.",
	examples: ["svc moderation delete img_1 --yes", "svc moderation delete img_1 img_2 --yes"],
	args: {},
	rest: { name: "id", description: "Image ids", required: true },
	run({ rest }, context) {
		const ids = [...new Set(rest)];
		const what = ids.length === 1 ? `image ${ids[0]}` : `${ids.length} images`;
		const before = () => confirm(context, `Delete ${what} for good, from whomever they are?`);
		return moderate({ ids, verb: "delete", verdict: {}, before }, context);
	},
});
