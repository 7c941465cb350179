import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { PLAN_COLUMNS } from "./columns.ts";
import { PLAN_ADVICE } from "./fields.ts";

export const list = defineLeaf({
	summary: "List the plans that an App sells",
	notes: "Archived ones too. A pipe gets: id, key, name, order, state, prices.",
	examples: ["svc plans list", "svc plans list --field prices"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { plans } = (await teamOf(context)).app;
		await advising(PLAN_ADVICE, () => printList(context, PLAN_COLUMNS, args, (page) => plans.list(page)));
		return EXIT.ok;
	},
});
