import { defineLeaf } from "../../leaf.ts";
import { setSelling } from "./set-selling.ts";

export const on = defineLeaf({
	summary: "Let an App sell plans to its users",
	notes: "For operators.",
	examples: ["svc selling on --app app_1"],
	args: {},
	run: (_given, context) => setSelling(true, context),
});
