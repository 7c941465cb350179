import { ApiError } from "@svc/sdk/failure";
import type { Context } from "./command.ts";
import { EXIT, type ExitCode, exitOf, Interrupted, nextStep } from "./exit.ts";
import { report } from "./report.ts";
import type { Column } from "./table.ts";

const AT_ONCE = 3;

type ItemResult<T, R> =
	| { readonly state: "done"; readonly result: R }
	| { readonly state: "failed"; readonly item: T; readonly error: unknown }
	| { readonly state: "skipped" };

interface Batch<T, R> {
	readonly items: readonly T[];
	name(item: T): string;
	work(item: T): Promise<R>;
	readonly columns: readonly Column<R>[];
	/** Called before anything is written. */
	beforeOutput?(): Promise<void>;
}

/** Works on every item, prints the results, then each failure. One item's failure does not stop the others. */
export async function runBatch<T, R>(batch: Batch<T, R>, context: Context): Promise<ExitCode> {
	const { process } = context;
	const failures: (ItemResult<T, R> & { state: "failed" })[] = [];
	const counts = { done: 0, skipped: 0 };
	let stopped = false;

	async function attempt(item: T): Promise<ItemResult<T, R>> {
		if (stopped || process.signal.aborted) return { state: "skipped" };
		try {
			return { state: "done", result: await batch.work(item) };
		} catch (error) {
			stopped ||= stopsAll(error);
			return { state: "failed", item, error };
		}
	}

	async function* results(): AsyncGenerator<R, void, undefined> {
		for await (const result of inOrder(batch.items, AT_ONCE, attempt)) {
			if (result.state === "failed") failures.push(result);
			else counts[result.state]++;
			await batch.beforeOutput?.();
			if (result.state === "done") yield result.result;
		}
	}

	await context.out.rows(batch.columns, results());
	if (process.signal.aborted) throw new Interrupted();
	await reportFailures(batch, failures, context);
	if (counts.skipped > 0) await context.out.note(`${counts.skipped} more were not tried.`);
	return exitFor(
		failures.map(({ error }) => error),
		counts.done,
	);
}

/** Whether every further item would fail for the same cause. */
function stopsAll(error: unknown): boolean {
	return exitOf(error) === EXIT.auth || (error instanceof ApiError && error.code === "quota_exceeded");
}

/** Results in the order of the items, with a few items worked on at once. `work` must not reject, since nothing waits for it yet. */
async function* inOrder<T, R>(
	items: readonly T[],
	atOnce: number,
	work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
	const waiting = [...items];
	const running: Promise<R>[] = [];
	for (;;) {
		running.push(...waiting.splice(0, atOnce - running.length).map(work));
		const first = running.shift();
		if (first === undefined) return;
		yield await first;
	}
}

async function reportFailures<T, R>(
	batch: Batch<T, R>,
	failures: readonly (ItemResult<T, R> & { state: "failed" })[],
	context: Context,
) {
	const { globals, out, process } = context;
	const said = new Set<string>();
	for (const { item, error } of failures) {
		const next = nextStep(error);
		const isNew = next !== undefined && !said.has(next);
		if (next !== undefined) said.add(next);
		await report(process, error, {
			json: out.isJson,
			verbose: globals.verbose,
			item: batch.name(item),
			next: isNew || out.isJson ? next : undefined,
		});
	}
}

function exitFor(failures: readonly unknown[], done: number): ExitCode {
	if (failures.length === 0) return EXIT.ok;
	if (done > 0) return EXIT.partly;
	const exits = new Set(failures.map(exitOf));
	const [first = EXIT.failed] = exits;
	return exits.size === 1 ? first : EXIT.failed;
}
