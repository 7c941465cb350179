import { readReason } from "../../block-reason.ts";
import { defineLeaf } from "../../leaf.ts";
import { moderate, NOTE_ARG, REASON_ARG } from "./act.ts";

export const unblock = defineLeaf({
	summary: "Serve blocked images again",
	notes: "For operators. JSON is an array, also for one image.",
	examples: ["svc moderation unblock img_1", "svc moderation unblock img_1 img_2 --note 'Appeal granted'"],
	args: { reason: REASON_ARG, note: NOTE_ARG },
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	run({ args, rest }, context) {
		const verdict = { reason: readReason(args.reason), note: args.note };
		return moderate({ ids: rest, verb: "unblock", verdict }, context);
	},
});
