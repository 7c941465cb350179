import { advising } from "../../advice.ts";
import { runBatch } from "../../batch.ts";
import { oneOf } from "../../choice.ts";
import { showPlan } from "../../dry-run.ts";
import { UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { REPORT_COLUMNS } from "./columns.ts";

const OUTCOMES = ["dismissed", "actioned"] as const;

const ADVICE = {
	not_found: "See what there is: svc reports list",
	state_conflict: "It is settled already: svc reports list --state resolved",
};

export const resolve = defineLeaf({
	summary: "Settle reports",
	notes: "For operators. Blocking an image settles its reports too. JSON is an array, also for one report.",
	examples: ["svc reports resolve rep_1 --outcome dismissed", "svc reports resolve rep_1 rep_2 --outcome actioned"],
	args: {
		outcome: { type: "string", valueHint: OUTCOMES.join("|"), description: "What became of them" },
	},
	rest: { name: "id", description: "Report ids", required: true, valueHint: "id" },
	async run({ args, rest }, context) {
		if (args.outcome === undefined)
			throw new UsageError("--outcome is missing.", `Add --outcome ${OUTCOMES.join("|")}.`);
		const outcome = oneOf("--outcome", args.outcome, OUTCOMES);
		const ids = [...new Set(rest)];
		if (context.globals.dryRun) {
			const path = (id: string) => pathTo("moderation", "reports", id, "resolve");
			return showPlan(
				context.out,
				ids.map((id) => ({ method: "POST", path: path(id), body: { outcome } })),
			);
		}
		const { reports } = (await context.management()).moderation;
		const options = { signal: context.world.signal };
		const work = (id: string) => advising(ADVICE, () => reports.resolve(id, outcome, options));
		return runBatch({ items: ids, name: (id) => id, work, columns: REPORT_COLUMNS }, context);
	},
});
