import { EXIT, type ExitCode, Interrupted } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import type { Context } from "../command.ts";
import type { Column } from "../output/table.ts";
import { exitOf } from "../refusal.ts";
import { exitForAll, type ItemFailure, reportFailures } from "../report.ts";
import { inOrder } from "./in-order.ts";

const AT_ONCE = 3;

type ItemResult<R> =
	| { readonly state: "done"; readonly result: R }
	| ({ readonly state: "failed" } & ItemFailure)
	| { readonly state: "skipped" };

interface Batch<T, R> {
	readonly items: readonly T[];
	name(item: T): string;
	work(item: T): Promise<R>;
	readonly columns: readonly Column<R>[];
	/** What is said where it was interrupted, with how many items were done. */
	interrupted?(done: number): Interrupted;
	/** Called before anything is written. */
	beforeOutput?(): Promise<void>;
}

/** Works on every item, prints the results, then each failure. One item's failure does not stop the others. */
export async function runBatch<T, R>(batch: Batch<T, R>, context: Context): Promise<ExitCode> {
	const { process } = context;
	const failures: ItemFailure[] = [];
	const counts = { done: 0, skipped: 0 };
	let stopped = false;

	async function attempt(item: T): Promise<ItemResult<R>> {
		if (stopped || process.signal.aborted) return { state: "skipped" };
		try {
			return { state: "done", result: await batch.work(item) };
		} catch (error) {
			stopped ||= stopsAll(error);
			return { state: "failed", item: batch.name(item), error };
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
	if (process.signal.aborted) throw batch.interrupted?.(counts.done) ?? new Interrupted();
	await reportFailures(failures, context);
	if (counts.skipped > 0) await context.out.note(`${counts.skipped} more were not tried.`);
	if (failures.length === 0) return EXIT.ok;
	return counts.done > 0 ? EXIT.partly : exitForAll(failures.map(({ error }) => error));
}

/** Whether every further item would fail for the same cause. */
export function stopsAll(error: unknown): boolean {
	return exitOf(error) === EXIT.auth || (error instanceof ApiError && error.code === "quota_exceeded");
}
