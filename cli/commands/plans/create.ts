import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { PLAN_DETAIL } from "./columns.ts";
import { DESCRIPTION_ARGS, descriptionBody, PLAN_ADVICE, readDescription } from "./fields.ts";

export const create = defineLeaf({
	summary: "Make a plan to sell",
	notes: "It is on sale once it has a price: svc prices add",
	examples: [
		"svc plans create gold --name Gold",
		"svc plans create gold --name Gold --description 'All you need' --benefit 'Large pictures' --benefit Support --order 2",
	],
	args: {
		key: { type: "positional", required: true, description: "What the App's code knows it by; never changes" },
		name: { type: "string", valueHint: "name", description: "What buyers read; default: the key" },
		...DESCRIPTION_ARGS,
	},
	repeatable: ["benefit"],
	async run({ args, all }, context) {
		const { out, world } = context;
		const { app, path } = await teamOf(context);
		const plan = { ...readDescription(args, all("benefit")), key: args.key, name: args.name ?? args.key };
		if (context.globals.dryRun) {
			return showPlan(out, [{ method: "POST", path: path("plans"), body: descriptionBody(plan) }]);
		}
		await out.record(PLAN_DETAIL, await advising(PLAN_ADVICE, () => app.plans.create(plan, { signal: world.signal })));
		return EXIT.ok;
	},
});
