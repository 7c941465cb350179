import { defineLeaf } from "../../leaf.ts";
import { setDisabled } from "./set-disabled.ts";

export const disable = defineLeaf({
	summary: "Refuse people, and Apps' calls for them",
	notes: "Their sessions, tokens and keys stop working at once. Undone by: svc operator enable",
	examples: ["svc operator disable acc_1", "svc operator disable acc_1 acc_2"],
	args: {},
	rest: { name: "id", description: "Account ids", required: true, valueHint: "id" },
	run: ({ rest }, context) => setDisabled(rest, "disable", context),
});
