import { showPlan } from "../../dry-run.ts";
import { followJob, JOB_ARGS } from "../../follow-job.ts";
import { defineLeaf } from "../../leaf.ts";

export const reconcile = defineLeaf({
	summary: "Count every storage and App again (operators)",
	notes: "Waits for the end and prints the job, whose result names what differed; svc jobs wait <id> waits later on.",
	examples: ["svc server reconcile", "svc server reconcile --no-wait --field id"],
	args: JOB_ARGS,
	async run({ all }, context) {
		const { globals, management, out, world } = context;
		if (globals.dryRun) return showPlan(out, [{ method: "POST", path: "/v1/operator/reconcile" }]);
		const { operator } = await management();
		const job = await operator.reconcile({ signal: world.signal });
		return followJob(context, job, all("no-wait").length > 0);
	},
});
