import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { BILLING_ADVICE, BILLING_COLUMNS, billingPath } from "./columns.ts";

export const resume = defineLeaf({
	summary: "Take the end of an App's own plan back",
	notes: "Only while the term lasts that was paid for.",
	examples: ["svc billing resume"],
	args: {},
	async run(_given, context) {
		const { globals, out, world } = context;
		const appId = await context.appId();
		if (globals.dryRun) return showPlan(out, [{ method: "POST", path: billingPath(appId, "resume") }]);
		const { billing } = (await context.management()).apps.of(appId);
		await out.record(BILLING_COLUMNS, await advising(BILLING_ADVICE, () => billing.resume({ signal: world.signal })));
		return EXIT.ok;
	},
});
