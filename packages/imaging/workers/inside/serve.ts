import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import type { Log } from "@svc/base/ports";
import { receive, send } from "@svc/base/processes/message-program";
import { endWithParent } from "@svc/base/processes/parent";
import { outcomeOf } from "../failures.ts";
import type { Note, Order, Outcome, Said, SentOrder } from "../orders.ts";
import type { Price } from "../price.ts";

/*
 * A worker from the inside: reads one order after the other from its standard input and answers each on its standard output, until the service
 * closes the pipe or is gone. Between two orders it waits in a read and does nothing at all.
 */

/** There when the process was started with `--expose-gc`. */
const { gc: collect } = globalThis as { gc?: () => void };
/** A job that left more than this behind is cleaned up after, while nobody waits: pixels that are kept do not count as left behind. */
const TIDY_BYTES = 144 * 1_024 ** 2;
/** How often usage is told where the service cannot look it up itself. */
const REPORT_MS = 50;

type Work = (order: Order, admitted: Price) => Promise<unknown>;

/** Works off orders with `work` until the pipe ends, and then ends this process. */
export async function serve(work: Work): Promise<never> {
	const [, , nice = "0", reports = "false"] = process.argv;
	endWithParent();
	takenFirst();
	if (nice !== "0") setPriority(Number(nice));
	// A signal to the whole group means that the service drains; it ends this process when it needs it no more.
	process.on("SIGINT", () => undefined);
	process.on("SIGTERM", () => undefined);
	say(undefined);
	for (;;) {
		const sent = receive() as SentOrder | undefined;
		if (!sent) process.exit(0);
		const report = reports === "true" ? setInterval(() => say(undefined), REPORT_MS) : undefined;
		const outcome = await done(sent, work);
		clearInterval(report);
		say(outcome);
		if (outcome.kind === "failed") process.exit(0);
		if (process.memoryUsage.rss() > TIDY_BYTES) collect?.();
	}
}

/** For the service's log, with the next answer. */
let notes: Note[] = [];

/** What a worker has to say to the service's log. */
export const workerLog: Pick<Log, "warn"> = {
	warn(message, facts = {}) {
		notes.push({ message, facts });
	},
};

async function done({ order, admitted }: SentOrder, work: Work): Promise<Outcome> {
	try {
		return { kind: "done", answer: await work(order, admitted) };
	} catch (error) {
		return outcomeOf(error);
	}
}

function say(outcome: Outcome | undefined): void {
	const { user, system } = process.cpuUsage();
	const usage = { cpuMs: (user + system) / 1_000, rssBytes: process.memoryUsage.rss() };
	const last = outcome?.kind === "failed";
	send({ outcome, ...usage, notes, last } satisfies Said);
	notes = [];
}

/** Where memory runs out, the kernel takes a worker rather than the service. */
function takenFirst(): void {
	try {
		writeFileSync("/proc/self/oom_score_adj", "1000");
	} catch {
		// There is no such file on this system.
	}
}
