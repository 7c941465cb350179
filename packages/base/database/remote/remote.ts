import { DatabaseError } from "../../database-error.ts";
import type { Reader } from "../file/kept-reader.ts";
import { retryBusy } from "../write/retry-busy.ts";
import { foundBy, readsOf } from "./hrana.ts";
import { type Progress, type ServerOptions, serverStreams } from "./server-streams.ts";
import { type Read, sharedReads } from "./shared-reads.ts";

export interface RemoteOptions extends ServerOptions {
	readonly progress: Progress;
	/** How long one request waits for the server's answer. */
	readonly timeoutMs: number;
}

/** A server answers BUSY while others write, and while it moves its log. */
const SERVER_BUSY_MS = 3_000;
const READ_TRIES = 3;
const READ_AGAIN_MS = 1_000;
const READ_PAUSE_MS = 25;
/** Reads that begin at the same time go in one request, up to so many. */
const READS_MAX = 64;
/** So many requests with reads are on their way at once; later reads wait for one of them. */
const REQUESTS_MAX = 20;
/** While so many are, reads are gathered for the next: a request with ten reads costs the server hardly more than one with a single read. */
const GATHERING = 1;
/** No read waits longer than this to be gathered. */
const GATHERED_MS = 3;

interface Asked {
	readonly read: Read;
	readonly answer: (rows: Promise<unknown[][]>) => void;
	readonly askedMs: number;
}

/** Reads at a libSQL server. Those that begin in the same turn of the event loop share a request, and so a round trip. */
export function remoteReader(options: RemoteOptions): Reader {
	const streams = serverStreams(options);
	const waiting: Asked[] = [];
	let running = 0;
	let isDue = false;
	let isGathering = false;

	function ask(read: Read): Promise<unknown[][]> {
		const { promise, resolve } = Promise.withResolvers<unknown[][]>();
		waiting.push({ read, answer: resolve, askedMs: performance.now() });
		if (!isDue) {
			isDue = true;
			// After what is already due: whoever is about to read as well goes along.
			setImmediate(send);
		}
		return promise;
	}

	function send(): void {
		isDue = false;
		while (mayGo()) {
			running += 1;
			const asked = waiting.splice(0, READS_MAX);
			answer(asked)
				.catch((error: unknown) => {
					for (const one of asked) one.answer(Promise.reject(error));
				})
				.finally(() => {
					running -= 1;
					send();
				});
		}
	}

	function mayGo(): boolean {
		const [first] = waiting;
		if (!first || running >= REQUESTS_MAX) return false;
		if (running < GATHERING || waiting.length >= READS_MAX) return true;
		const leftMs = first.askedMs + GATHERED_MS - performance.now();
		if (leftMs <= 0) return true;
		if (!isGathering) {
			isGathering = true;
			setTimeout(() => {
				isGathering = false;
				send();
			}, leftMs);
		}
		return false;
	}

	/** What goes wrong is told to those who asked. */
	async function answer(asked: readonly Asked[]): Promise<void> {
		const all = sharedReads(asked.map(({ read }) => read));
		const statements = all.map(({ statement }) => statement);
		// A value that no database keeps is found out while the request is written.
		const run = async () => await streams.run(readsOf(statements));
		const result = await run().catch((error: unknown) => ({ error }));
		if ("error" in result && !(result.error instanceof DatabaseError) && asked.length > 1) {
			// Refused as a whole, as for an answer that is too large: one of them is to blame, and the others are not.
			await Promise.all(asked.map((one) => answer([one])));
			return;
		}
		for (const [step, { places, rowsOf }] of all.entries()) {
			const rows = async (place: number) => {
				if ("error" in result) throw result.error;
				return rowsOf(foundBy(result, step), place);
			};
			for (const place of places) asked[place]?.answer(rows(place));
		}
	}

	return {
		async rows(sql, args, many) {
			const untilMs = performance.now() + READ_AGAIN_MS;
			for (let tries = 1; ; tries++) {
				try {
					return await retryBusy(() => ask({ sql, args, many }), performance.now() + SERVER_BUSY_MS);
				} catch (error) {
					// A read whose answer got lost is repeated, for a moment: it changes nothing.
					const isLost = error instanceof DatabaseError && error.written === "unknown";
					if (!isLost || tries === READ_TRIES || performance.now() > untilMs) nothingChanged(error);
					await new Promise((resolve) => setTimeout(resolve, tries * READ_PAUSE_MS));
				}
			}
		},
		close: () => streams.close(),
	};
}

/** A read has changed nothing, whatever became of its answer. */
function nothingChanged(error: unknown): never {
	throw error instanceof DatabaseError ? new DatabaseError(error.code, "no", error.cause) : error;
}
