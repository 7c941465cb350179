import { defineLeaf } from "../../leaf.ts";
import { setDisabled } from "./set-disabled.ts";

export const enable = defineLeaf({
	summary: "Let disabled people in again",
	examples: ["svc operator enable acc_1", "svc operator enable acc_1 acc_2"],
	args: {},
	rest: { name: "id", description: "Account ids", required: true, valueHint: "id" },
	run: ({ rest }, context) => setDisabled(rest, "enable", context),
});
