import { advising } from "../../advice.ts";
import { runBatch } from "../../batch.ts";
import { showPlan } from "../../dry-run.ts";
import { UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
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
	rest: { name: "id", description: "Report ids", required: true },
	async run({ args, rest }, context) {
		const outcome = OUTCOMES.find((known) => known === args.outcome);
		if (outcome === undefined) {
			const given = args.outcome === undefined ? "" : ` "${args.outcome}" is neither.`;
			throw new UsageError(`A report is dismissed or actioned.${given}`, `Add --outcome ${OUTCOMES.join("|")}.`);
		}
		const ids = [...new Set(rest)];
		if (context.globals.dryRun) {
			const path = (id: string) => `/v1/moderation/reports/${encodeURIComponent(id)}/resolve`;
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
