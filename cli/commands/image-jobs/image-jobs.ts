import { EXIT, type ExitCode, UsageError } from "@svc/base/processes/exit";
import type { ImageAct } from "@svc/sdk/calls/app-images";
import { JOB_STATES } from "@svc/sdk/lists";
import type { Job } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { JOB_ARGS, JOB_COLUMNS, refuseFailed, waitForJob } from "../../kit/work/follow-job.ts";
import { readPairs, readTtl } from "../images/create-fields.ts";
import { FILTER_ARGS, readFilter } from "../images/list.ts";

const DETAILS: readonly Column<Job>[] = [...JOB_COLUMNS, { name: "result", value: (job) => job.result }];
const ADVICE = { not_found: "See which there are: svc image-jobs list" };
const STATES = ["ready", "blocked", "locked", "failed"] as const;

const ACT_ARGS = {
	"set-label": takes.text("Set a label; key= removes it", "key=value"),
	ttl: takes.text("Delete them after this time, 5m to 90d; or never", "7d"),
	delete: takes.flag("Delete them; for 24 hours they can be restored"),
	restore: takes.flag("Restore what was deleted and fits"),
	to: takes.text("Move them to this connected user", "id"),
	"to-app": takes.flag("Move them into the App storage"),
} as const;

type ActArgs = Readonly<{ [Name in keyof typeof ACT_ARGS]?: string | boolean | undefined }>;

const create = defineCommand({
	summary: "Change all images that fit a filter, in the background",
	notes:
		"The images that fit when it starts, each judged when it has its turn. Without a filter: all of the storage. The result counts what was changed, and what was skipped by the reason.",
	examples: [
		"svc image-jobs create --label album=summer --set-label season=2026 --app app_1",
		"svc image-jobs create --created-to 2026-01-01 --delete --no-wait --field id",
	],
	args: {
		...FILTER_ARGS,
		ids: takes.text("Only these", "id,id"),
		state: takes.choice("Only images in this state", STATES),
		...ACT_ARGS,
		...JOB_ARGS,
		"idempotency-key": takes.text("Repeating it within a day does nothing twice", "key"),
	},
	repeatable: ["label", "set-label"],
	async run({ args, all }, context) {
		const act = readAct(args, all("set-label"));
		const narrowed = { ...readFilter(args, all("label")), ids: args.ids?.split(","), user: context.globals.user };
		const filter = { ...narrowed, ...readChoice("state", args.state, STATES) };
		const app = await context.app();
		const { signal } = context.process;
		const options = { signal, idempotencyKey: args["idempotency-key"] };
		const job = await advising({}, () => app.imageJobs.create(filter, act, options));
		return await follow(context, job, args["no-wait"] === true);
	},
});

/** Prints the job with what came of it. @throws LocalError for one that failed */
async function follow(context: Context, started: Job, noWait: boolean): Promise<ExitCode> {
	const job = noWait ? started : await waitForJob(context, started);
	await context.out.record(DETAILS, job);
	refuseFailed(job);
	return EXIT.ok;
}

/** @throws UsageError unless exactly one change is named */
function readAct(args: ActArgs, labels: readonly string[]): ImageAct {
	const set = readPairs("set-label", labels);
	const acts: readonly (ImageAct | false)[] = [
		set !== undefined && {
			labels: Object.fromEntries(Object.entries(set).map(([key, value]) => [key, value === "" ? null : value])),
		},
		typeof args.ttl === "string" && { ttl: args.ttl === "never" ? null : readTtl(args.ttl) },
		args.delete === true && { delete: true },
		args.restore === true && { restore: true },
		typeof args.to === "string" && { move: { user: args.to } },
		args["to-app"] === true && { move: { user: null } },
	];
	const [act, other] = acts.filter((one) => one !== false);
	if (act && !other) return act;
	throw new UsageError(
		"Say one thing that is done to them: --set-label, --ttl, --delete, --restore, --to or --to-app.",
	);
}

const list = defineCommand({
	summary: "List an App's imports and changes of many images, newest first",
	notes: pipeNote(JOB_COLUMNS),
	examples: ["svc image-jobs list", "svc image-jobs list --state running --field id"],
	args: { ...LIST_ARGS, state: takes.choice("Only jobs in this state", JOB_STATES) },
	async run({ args }, context) {
		const filter = readChoice("state", args.state, JOB_STATES);
		const app = await context.app();
		return printList(context, JOB_COLUMNS, args, (page) => app.jobs.list({ ...page, ...filter }));
	},
});

const ID = { id: takes.id("Job id") } as const;

const get = shows({
	summary: "Show how far a change of many images is, and what came of it",
	examples: ["svc image-jobs get job_1", "svc image-jobs get job_1 --field result"],
	args: ID,
	columns: DETAILS,
	advice: ADVICE,
	from: "management",
	send:
		({ args: { id } }) =>
		({ jobs }, options) =>
			jobs.get(id, options),
});

const cancel = shows({
	summary: "End a change of many images; what was changed stays",
	examples: ["svc image-jobs cancel job_1", "svc image-jobs cancel job_1 --field state"],
	args: ID,
	columns: DETAILS,
	advice: ADVICE,
	from: "app",
	send:
		({ args: { id } }) =>
		(app, options) =>
			app.imageJobs.cancel(id, options),
});

export const IMAGE_JOB_COMMANDS = { create, list, get, cancel };
