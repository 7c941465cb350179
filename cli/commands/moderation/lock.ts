import { readReason } from "../../block-reason.ts";
import { defineLeaf } from "../../leaf.ts";
import { moderate, NOTE_ARG, REASON_ARG } from "./act.ts";

export const lock = defineLeaf({
	summary: "Keep images from being changed",
	notes: "For operators. They stay visible, and can be deleted. Undone by: svc moderation unlock",
	examples: ["svc moderation lock img_1", "svc moderation lock img_1 img_2 --note 'Kept for the court'"],
	args: { reason: REASON_ARG, note: NOTE_ARG },
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	run({ args, rest }, context) {
		const verdict = { reason: readReason(args.reason), note: args.note };
		return moderate({ ids: rest, verb: "lock", verdict }, context);
	},
});
