import { ApiError } from "@svc/sdk/failure";
import type { CallOptions } from "@svc/sdk/request";
import type { BatchError, BatchResult } from "@svc/sdk/types";
import { EXIT, type ExitCode, exitOf, Interrupted, nextStep } from "./exit.ts";
import type { Context } from "./leaf.ts";
import { report } from "./report.ts";
import type { Column } from "./table.ts";

/** What the service takes in one call. */
const MOST_IDS = 100;
/** Of an answer whose errors come with its data. */
const MULTI_STATUS = 207;

/** Ids in the groups in which they are sent. */
export function chunksOf(ids: readonly string[]): (readonly string[])[] {
	const count = Math.ceil(ids.length / MOST_IDS);
	return Array.from({ length: count }, (_, index) => ids.slice(index * MOST_IDS, (index + 1) * MOST_IDS));
}

export interface Chunked<R> {
	readonly ids: readonly string[];
	/** One call about at most 100 of them. */
	send(ids: readonly string[], options: CallOptions): Promise<BatchResult<R>>;
	readonly columns: readonly Column<R>[];
	/** What an id is told to do that was left alone, as "changed". */
	readonly done: string;
}

interface Course {
	done: number;
	readonly failures: { readonly id: string; readonly error: ApiError }[];
	/** The call that failed as a whole, with the number of ids from there on. */
	stopped: { readonly error: unknown; readonly left: number } | undefined;
}

function failureOf({ id, error }: BatchError, requestId: string | undefined): Course["failures"][number] {
	return { id, error: new ApiError(MULTI_STATUS, error, { requestId }) };
}

async function reportCourse({ failures, stopped }: Course, done: string, { world, globals, out }: Context) {
	const options = { json: out.isJson, verbose: globals.verbose };
	const said = new Set<string | undefined>();
	for (const { id, error } of failures) {
		const next = nextStep(error);
		await report(world, error, { ...options, item: id, next: out.isJson || !said.has(next) ? next : undefined });
		said.add(next);
	}
	if (stopped === undefined) return;
	await report(world, stopped.error, options);
	await out.note(`${stopped.left} more were not ${done}.`);
}

/**
 * Does something to many things by the service's batch calls, one after another: prints what came of it, then each failure. Exit
 * 3 when some were done and some were not. A call that fails as a whole ends it.
 */
export async function runChunks<R>({ ids, send, columns, done }: Chunked<R>, context: Context): Promise<ExitCode> {
	const { world, out } = context;
	const course: Course = { done: 0, failures: [], stopped: undefined };
	let requestId: string | undefined;
	const onAnswer: CallOptions["onAnswer"] = ({ headers }) => {
		requestId = headers.get("x-request-id") ?? undefined;
	};

	async function* results(): AsyncGenerator<R, void, undefined> {
		for (const [index, chunk] of chunksOf(ids).entries()) {
			try {
				const { data, errors } = await send(chunk, { signal: world.signal, onAnswer });
				course.done += data.length;
				course.failures.push(...errors.map((error) => failureOf(error, requestId)));
				yield* data;
			} catch (error) {
				course.stopped = { error, left: ids.length - index * MOST_IDS };
				return;
			}
		}
	}

	await out.rows(columns, results());
	if (world.signal.aborted) throw new Interrupted();
	if (course.stopped !== undefined && course.done + course.failures.length === 0) throw course.stopped.error;
	await reportCourse(course, done, context);
	if (course.failures.length === 0 && course.stopped === undefined) return EXIT.ok;
	return course.done > 0 ? EXIT.partly : exitForAll(course);
}

/** Where nothing was done: the one reason that all have, else just failed. */
function exitForAll({ failures, stopped }: Course): ExitCode {
	const exits = new Set([...failures.map(({ error }) => exitOf(error)), ...(stopped ? [exitOf(stopped.error)] : [])]);
	const [first = EXIT.failed] = exits;
	return exits.size === 1 ? first : EXIT.failed;
}
