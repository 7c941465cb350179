import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { PLAN_DETAIL } from "./columns.ts";
import { DESCRIPTION_ARGS, descriptionBody, PLAN_ADVICE, planPath, readDescription } from "./fields.ts";

export const edit = defineLeaf({
	summary: "Change what buyers are told of a plan",
	notes: "What is not given stays as it is; --benefit= takes all benefits away.",
	examples: ["svc plans edit pln_1 --name 'Gold plus' --order 1", "svc plans edit pln_1 --benefit='' --description=''"],
	args: {
		id: { type: "positional", required: true, description: "Plan id" },
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
		const appId = await context.appId();
		if (context.globals.dryRun) {
			return showPlan(out, [{ method: "PATCH", path: planPath(appId, args.id), body: descriptionBody(changes) }]);
		}
		const { plans } = (await context.management()).apps.of(appId);
		const options = { signal: world.signal };
		await out.record(PLAN_DETAIL, await advising(PLAN_ADVICE, () => plans.update(args.id, changes, options)));
		return EXIT.ok;
	},
});
