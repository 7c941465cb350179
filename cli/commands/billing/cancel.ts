import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { BILLING_ADVICE, BILLING_COLUMNS } from "./columns.ts";

export const cancel = defineLeaf({
	summary: "End an App's own plan with its term",
	notes: "Nothing that the App holds is deleted. Until then it is undone by: svc billing resume",
	examples: ["svc billing cancel"],
	args: {},
	async run(_given, context) {
		const { globals, out, world } = context;
		const { app, path } = await teamOf(context);
		if (globals.dryRun) return showPlan(out, [{ method: "POST", path: path("billing", "cancel") }]);
		await out.record(
			BILLING_COLUMNS,
			await advising(BILLING_ADVICE, () => app.billing.cancel({ signal: world.signal })),
		);
		return EXIT.ok;
	},
});
