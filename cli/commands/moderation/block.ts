import { requireReason } from "../../block-reason.ts";
import { defineLeaf } from "../../leaf.ts";
import { moderate, NOTE_ARG, REASON_ARG } from "./act.ts";

export const block = defineLeaf({
	summary: "Serve images no more",
	notes: "For operators. Settles their open reports. Undone by: svc moderation unblock",
	examples: [
		"svc moderation block img_1 --reason spam",
		"svc moderation block img_1 img_2 --reason dmca --note 'Notice 4711'",
	],
	args: { reason: REASON_ARG, note: NOTE_ARG },
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	async run({ args, rest }, context) {
		const reason = requireReason(args.reason);
		return moderate({ ids: rest, verb: "block", verdict: { reason, note: args.note } }, context);
	},
});
