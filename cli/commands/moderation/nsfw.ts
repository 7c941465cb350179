import { oneOf } from "../../choice.ts";
import { defineLeaf } from "../../leaf.ts";
import { moderate, NOTE_ARG } from "./act.ts";

export const nsfw = defineLeaf({
	summary: "Say whether images are not safe for work",
	notes: "For operators. JSON is an array, also for one image.",
	examples: ["svc moderation nsfw on img_1", "svc moderation nsfw off img_1 img_2"],
	args: {
		state: { type: "positional", required: true, description: "on or off" },
		note: NOTE_ARG,
	},
	rest: { name: "id", description: "Image ids", required: true, valueHint: "id" },
	async run({ args, rest }, context) {
		const verb = oneOf("<state>", args.state, ["on", "off"]) === "on" ? "nsfw" : "not_nsfw";
		return moderate({ ids: rest, verb, verdict: { note: args.note } }, context);
	},
});
