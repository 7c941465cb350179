import { confirm } from "../../confirm.ts";
import { defineLeaf } from "../../leaf.ts";
import { counted } from "../../removal.ts";
import { moderate } from "./act.ts";

export const deleteModerated = defineLeaf({
	summary: "Delete anybody's images for good",
	notes: "For operators. Asks first, unless --yes is given. Their history stays; their open reports are settled.",
	examples: ["svc moderation delete img_1 --yes", "svc moderation delete img_1 img_2 --yes"],
	args: {},
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	run({ rest }, context) {
		const before = (ids: readonly string[]) =>
			confirm(context, `Delete ${counted("image", ids)} for good, from whomever they are?`);
		return moderate({ ids: rest, verb: "delete", verdict: {}, before }, context);
	},
});
