import { EXIT, type ExitCode, LocalError } from "@svc/base/processes/exit";
import type { Job } from "@svc/sdk/shapes";
import { wait } from "@svc/sdk/wire/retry";
import type { Context } from "../command.ts";
import * as takes from "../line/takes.ts";
import { type Column, fields } from "../output/table.ts";
import { openStatusLine } from "./progress.ts";

/** The flags of every command that starts a job. */
export const JOB_ARGS = {
	"no-wait": takes.flag("Print the job at once instead of waiting for its end"),
} as const;

export const JOB_COLUMNS: readonly Column<Job>[] = [
	...fields("id", "kind", "state", "done", "total"),
	{ name: "failure", value: (job) => job.failure, shrinks: true },
	...fields("created_at", "ended_at"),
];

const POLL_MS = 500;

/** Asks after a job until it has ended. */
export async function waitForJob(context: Context, started: Job): Promise<Job> {
	const { signal } = context.process;
	const { jobs } = await context.management();
	const line = openStatusLine(context);
	let job = started;
	try {
		while (!isOver(job)) {
			await line.show(progressText(job));
			await wait(POLL_MS, signal);
			job = await jobs.get(job.id, { signal });
		}
	} catch (error) {
		await line.clear();
		if (!context.out.isJson) await context.out.note(`The job goes on without being watched: svc jobs wait ${job.id}`);
		throw error;
	}
	await line.clear();
	return job;
}

function isOver({ state }: Job): boolean {
	return state === "done" || state === "failed";
}

function progressText({ kind, state, done, total }: Job): string {
	return `${kind}: ${state} ${total === null ? done : `${done}/${total}`}`;
}

/** @throws LocalError for a job that failed */
export function refuseFailed(job: Job): void {
	if (job.state !== "failed") return;
	throw new LocalError(`The job ${job.id} failed: ${job.failure ?? "no reason given"}`, `svc jobs get ${job.id}`);
}

/** Waits for a job's end and prints it; with `--no-wait` it is printed as it starts. @throws LocalError for one that failed */
export async function followJob(context: Context, started: Job, noWait: boolean): Promise<ExitCode> {
	const job = noWait ? started : await waitForJob(context, started);
	await context.out.record(JOB_COLUMNS, job);
	refuseFailed(job);
	return EXIT.ok;
}
