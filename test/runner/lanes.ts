import { type Bounds, runBounded } from "./bounded-process.ts";
import { findMemory } from "./memory.ts";
import type { Task } from "./plan.ts";
import { type TestFailure, TestLog } from "./test-log.ts";

/* Four lanes on two cores, since many a test waits for a process, a clock or a browser: three take from the front, where those are, one from the back. */

/** A test may take ten minutes, in which it prints nothing. */
const BOUNDS: Bounds = { silentMs: 12 * 60_000, wholeMs: 40 * 60_000 };

export interface Outcome {
	readonly task: Task;
	readonly passed: number;
	readonly skipped: number;
	readonly failures: readonly TestFailure[];
	/** How many of its tests failed, or that it ended without counting. */
	readonly failed: number;
	readonly processorSeconds: number;
	/** How long each of its files took by the clock. */
	readonly seconds: ReadonlyMap<string, number>;
	/** All that it printed. */
	readonly text: string;
}

/** What is told while it runs. */
export interface Listener {
	began(task: Task, file: string): void;
	ended(outcome: Outcome): void;
}

/** Runs all tasks; what is missing here is left to the caller. Until `ready` only those that start no programs of others are begun. */
export async function runLanes(
	root: string,
	tasks: readonly Task[],
	listener: Listener,
	{ bounds = BOUNDS, ready = Promise.resolve() }: { readonly bounds?: Bounds; readonly ready?: Promise<void> } = {},
): Promise<readonly Outcome[]> {
	const waiting = [...tasks];
	const outcomes: Outcome[] = [];
	let isReady = false;
	void ready.then(() => {
		isReady = true;
	});
	const bare = () => {
		const place = isReady ? -1 : waiting.findLastIndex(({ isBare }) => isBare);
		return place < 0 ? undefined : waiting.splice(place, 1)[0];
	};
	const lane = async (take: () => Task | undefined) => {
		const next = async () => bare() ?? (await ready.then(take));
		for (let task = await next(); task !== undefined; task = await next()) {
			const outcome = await runTask(root, task, listener.began, bounds);
			outcomes.push(outcome);
			listener.ended(outcome);
		}
	};
	const first = () => waiting.shift();
	await Promise.all([lane(first), lane(first), lane(first), lane(() => waiting.pop())]);
	return outcomes;
}

export async function runTask(root: string, task: Task, began: Listener["began"], bounds = BOUNDS): Promise<Outcome> {
	const log = new TestLog();
	const text: string[] = [];
	const beganMs = performance.now();
	// Programs that a test starts may stand in other folders, and have to find what this process found.
	using memory = task.isOnDisk ? undefined : findMemory();
	const env = { ...process.env, ...task.env, ...(memory && { TMPDIR: memory.folder }) };
	const ended = await runBounded(task.command, { cwd: root, env }, bounds, (line) => {
		text.push(line);
		const files = log.files.length;
		log.take(line, performance.now());
		const file = log.files[files]?.name;
		if (file !== undefined) began(task, file);
	});
	const failures = [...log.failures];
	let failed = Math.max(log.counts.fail + log.counts.error, failures.length);
	const reason = reasonOfDeath(task, log, ended);
	if (reason !== undefined && (failed === 0 || ended.over !== undefined)) {
		failed++;
		failures.push({ file: log.files.at(-1)?.name ?? task.name, lines: [...log.rest, reason], isOfTest: false });
	}
	const { pass: passed, skip: skipped } = log.counts;
	const seconds = secondsOf(log, beganMs, performance.now());
	const { processorSeconds } = ended;
	return { task, passed, skipped, failures, failed, processorSeconds, seconds, text: text.join("\n") };
}

/** Why a process that says of no test that it failed has failed all the same. */
function reasonOfDeath(
	{ files }: Task,
	log: TestLog,
	{ exit, over }: { readonly exit: number | null; readonly over?: string },
): string | undefined {
	if (over !== undefined) return `it was ended: it ${over}`;
	if (files.length > 0 && !log.hasCounted) return `it ended with ${exit ?? "a signal"} before it had counted`;
	if (log.files.length < files.length) return `it began ${log.files.length} of its ${files.length} files`;
	return exit === 0 ? undefined : `it ended with ${exit ?? "a signal"}`;
}

function secondsOf(log: TestLog, beganMs: number, endedMs: number): ReadonlyMap<string, number> {
	// What is loaded before its name is printed is of the first file.
	const marks = log.files.map(({ name, beganMs: atMs }, place) => ({ name, atMs: place === 0 ? beganMs : atMs }));
	return new Map(marks.map(({ name, atMs }, place) => [name, ((marks[place + 1]?.atMs ?? endedMs) - atMs) / 1_000]));
}
