import { defineLeaf } from "../../leaf.ts";
import { setSelling } from "./set-selling.ts";

export const off = defineLeaf({
	summary: "Let an App sell no more",
	notes: "For operators. Those who have bought keep what they have. Undone by: svc selling on",
	examples: ["svc selling off --app app_1"],
	args: {},
	run: (_given, context) => setSelling(false, context),
});
