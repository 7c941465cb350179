import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { PLAN_DETAIL } from "./columns.ts";
import { DESCRIPTION_ARGS, descriptionBody, PLAN_ADVICE, readDescription } from "./fields.ts";

export const edit = defineLeaf({
	summary: "Change what buyers are told of a plan",
	notes: "What is not given stays as it is; --benefit= takes all benefits away.",
	examples: ["svc plans edit pln_1 --name 'Gold plus' --order 1", "svc plans edit pln_1 --benefit='' --description=''"],
	args: {
		id: { type: "positional", required: true, valueHint: "id", description: "Plan id" },
		name: { type: "string", valueHint: "name", description: "What buyers read" },
		...DESCRIPTION_ARGS,
	},
	repeatable: ["benefit"],
	async run({ args, all }, context) {
		const { out, world } = context;
		const changes = readDescription(args, all("benefit"));
		if (Object.values(changes).every((value) => value === undefined)) {
			throw new UsageError("Nothing to change was given.", "svc plans edit --help");
		}
		const { app, path } = await teamOf(context);
		if (context.globals.dryRun) {
			return showPlan(out, [{ method: "PATCH", path: path("plans", args.id), body: descriptionBody(changes) }]);
		}
		const options = { signal: world.signal };
		await out.record(PLAN_DETAIL, await advising(PLAN_ADVICE, () => app.plans.update(args.id, changes, options)));
		return EXIT.ok;
	},
});
