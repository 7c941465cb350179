import { JOB_STATES } from "@svc/sdk/lists";
import type { Job } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, pipeNote } from "../../kit/output/table.ts";
import { followJob, JOB_COLUMNS } from "../../kit/work/follow-job.ts";

const list = defineCommand({
	summary: "List the service's jobs, newest first (operator)",
	notes: pipeNote(JOB_COLUMNS),
	examples: ["svc jobs list", "svc jobs list --state failed --all --field id"],
	args: {
		...LIST_ARGS,
		state: takes.choice("Only jobs in this state", JOB_STATES),
		kind: takes.text("Only jobs of this kind, as app.delete", "kind"),
	},
	async run({ args }, context) {
		const { operator } = await context.management();
		const filter = { ...readChoice("state", args.state, JOB_STATES), ...givenFilters({ kind: args.kind }) };
		return printList(context, JOB_COLUMNS, args, (page) => operator.jobs.list({ ...page, ...filter }));
	},
});

const DETAILS: readonly Column<Job>[] = [...JOB_COLUMNS, { name: "result", value: (job) => job.result }];

const get = defineCommand({
	summary: "Show one job: whoever started it can, and operators",
	examples: ["svc jobs get job_1", "svc jobs get job_1 --field state"],
	args: { id: takes.id("Job id") },
	async run({ args }, { management, out, process }) {
		const job = await (await management()).jobs.get(args.id, { signal: process.signal });
		await out.record(DETAILS, job);
	},
});

const wait = defineCommand({
	summary: "Wait until a job has ended",
	notes: "Exit 1 when it failed. Ctrl-C stops the waiting, not the job.",
	examples: ["svc jobs wait job_1", "svc jobs wait job_1 --field result"],
	args: { id: takes.id("Job id") },
	async run({ args }, context) {
		const { jobs } = await context.management();
		return followJob(context, await jobs.get(args.id, { signal: context.process.signal }), false);
	},
});

export const JOB_COMMANDS = { list, get, wait };
