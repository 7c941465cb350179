import { EXIT, type ExitCode, Interrupted } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import type { BatchError } from "@svc/sdk/shapes";
import type { BatchResult } from "@svc/sdk/types";
import type { CallOptions } from "@svc/sdk/wire/request";
import type { Context } from "../command.ts";
import type { Column } from "../output/table.ts";
import { planAll } from "../planning.ts";
import { exitForAll, type ItemFailure, report, reportFailures } from "../report.ts";

/** The most ids that the service takes in one call. */
const MOST_IDS = 100;
/** Status of an answer whose errors come with its data. */
const MULTI_STATUS = 207;

interface ChunkedTask<R> {
	readonly ids: readonly string[];
	/** Makes one call about at most 100 ids. */
	send(ids: readonly string[], options: CallOptions): Promise<BatchResult<R>>;
	readonly columns: readonly Column<R>[];
	/** The verb in the past tense, as "changed"; a note says of the other items that it does not apply. */
	readonly done: string;
}

interface ChunkProgress {
	done: number;
	readonly failures: ItemFailure[];
	/** The call that failed as a whole, with the number of ids from there on. */
	stopped: { readonly error: unknown; readonly left: number } | undefined;
}

/** Ids in the groups in which they are sent. */
export function chunksOf(ids: readonly string[]): (readonly string[])[] {
	const count = Math.ceil(ids.length / MOST_IDS);
	return Array.from({ length: count }, (_, index) => ids.slice(index * MOST_IDS, (index + 1) * MOST_IDS));
}

/**
 * Does something to many things by the service's batch calls, one after another: prints what came of it, then each failure. Exit
 * 3 when some were done and some were not. A call that fails as a whole ends it.
 */
export async function runChunks<R>({ ids, send, columns, done }: ChunkedTask<R>, context: Context): Promise<ExitCode> {
	const { process, out } = context;
	await planAll(
		context,
		chunksOf(ids).map((chunk) => () => send(chunk, {})),
	);
	const progress: ChunkProgress = { done: 0, failures: [], stopped: undefined };
	let requestId: string | undefined;
	const onAnswer: CallOptions["onAnswer"] = ({ headers }) => {
		requestId = headers.get("x-request-id") ?? undefined;
	};

	async function* results(): AsyncGenerator<R, void, undefined> {
		for (const [index, chunk] of chunksOf(ids).entries()) {
			try {
				const { data, errors } = await send(chunk, { signal: process.signal, onAnswer });
				progress.done += data.length;
				progress.failures.push(...errors.map((error) => failureOf(error, requestId)));
				yield* data;
			} catch (error) {
				progress.stopped = { error, left: ids.length - index * MOST_IDS };
				return;
			}
		}
	}

	await out.rows(columns, results());
	if (process.signal.aborted) throw new Interrupted();
	if (progress.stopped !== undefined && progress.done + progress.failures.length === 0) throw progress.stopped.error;
	const { failures, stopped } = progress;
	await reportFailures(failures, context);
	if (stopped !== undefined) {
		await report(process, stopped.error, { json: out.isJson, verbose: context.globals.verbose });
		await out.note(`${stopped.left} more were not ${done}.`);
	}
	const errors = [...failures, ...(stopped ? [stopped] : [])].map(({ error }) => error);
	if (errors.length === 0) return EXIT.ok;
	return progress.done > 0 ? EXIT.partly : exitForAll(errors);
}

function failureOf({ id, error }: BatchError, requestId: string | undefined): ItemFailure {
	return { item: id, error: new ApiError(MULTI_STATUS, error, { requestId }) };
}
