import { readChoice } from "../../choice.ts";
import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { JOB_COLUMNS } from "../../follow-job.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";

const STATES = ["queued", "running", "done", "failed"];

export const list = defineLeaf({
	summary: "List the service's jobs, newest first (operator)",
	notes: "A pipe gets: id, kind, state, done, total, failure, created_at, ended_at.",
	examples: ["svc jobs list", "svc jobs list --state failed --all --field id"],
	args: {
		...LIST_ARGS,
		state: { type: "string", valueHint: STATES.join("|"), description: "Only jobs in this state" },
		kind: { type: "string", valueHint: "kind", description: "Only jobs of this kind, as app.delete" },
	},
	async run({ args }, context) {
		const { operator } = await context.management();
		const filter = { ...readChoice("state", args.state, STATES), ...givenFilters({ kind: args.kind }) };
		await printList(context, JOB_COLUMNS, args, (page) => operator.jobs.list({ ...page, ...filter }));
		return EXIT.ok;
	},
});
