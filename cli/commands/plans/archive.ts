import { advising } from "../../advice.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { PLAN_DETAIL } from "./columns.ts";
import { PLAN_ADVICE } from "./fields.ts";

export const archive = defineLeaf({
	summary: "Take a plan off sale for good",
	notes: "Its subscribers keep it. Asks first, unless --yes is given. To stop for a while: svc prices off-sale",
	examples: ["svc plans archive pln_1 --yes"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Plan id" } },
	async run({ args }, context) {
		const { out, world } = context;
		const { app, path } = await teamOf(context);
		if (context.globals.dryRun) {
			return showPlan(out, [{ method: "POST", path: path("plans", args.id, "archive") }]);
		}
		await confirm(context, `Take plan ${args.id} off sale for good?`);
		const options = { signal: world.signal };
		await out.record(PLAN_DETAIL, await advising(PLAN_ADVICE, () => app.plans.archive(args.id, options)));
		return EXIT.ok;
	},
});
