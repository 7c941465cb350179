import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { BILLING_ADVICE, BILLING_COLUMNS } from "./columns.ts";

export const resume = defineLeaf({
	summary: "Take the end of an App's own plan back",
	notes: "Only while the term lasts that was paid for.",
	examples: ["svc billing resume"],
	args: {},
	async run(_given, context) {
		const { globals, out, world } = context;
		const { app, path } = await teamOf(context);
		if (globals.dryRun) return showPlan(out, [{ method: "POST", path: path("billing", "resume") }]);
		await out.record(
			BILLING_COLUMNS,
			await advising(BILLING_ADVICE, () => app.billing.resume({ signal: world.signal })),
		);
		return EXIT.ok;
	},
});
