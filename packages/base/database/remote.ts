import { LibsqlError } from "@libsql/client";
import { DatabaseError } from "../database-error.ts";
import { retryBusy } from "./connection.ts";
import { type Found, foundBy, readsOf, type Statement } from "./hrana.ts";
import type { Reader } from "./kept-reader.ts";
import { type Progress, type ServerOptions, serverStreams } from "./server-streams.ts";

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
const READS_MAX = 16;
/** So many requests with reads are on their way at once; later reads wait for one of them. */
const REQUESTS_MAX = 20;
/** While so many are, reads are gathered for the next: a request with ten reads costs the server hardly more than one with a single read. */
const GATHERING = 2;
/** No read waits longer than this to be gathered. */
const GATHERED_MS = 5;

interface Asked {
	readonly statement: Statement;
	readonly answer: (found: Promise<Found>) => void;
	readonly askedMs: number;
}

/** Reads at a libSQL server. Those that begin in the same turn of the event loop share a request, and so a round trip. */
export function remoteReader(options: RemoteOptions): Reader {
	const streams = serverStreams(options);
	const waiting: Asked[] = [];
	let running = 0;
	let isDue = false;
	let isGathering = false;

	function ask(statement: Statement): Promise<Found> {
		const { promise, resolve } = Promise.withResolvers<Found>();
		waiting.push({ statement, answer: resolve, askedMs: performance.now() });
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
			void answer(waiting.splice(0, READS_MAX)).finally(() => {
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

	/** Never rejects: what goes wrong is told to those who asked. */
	async function answer(asked: readonly Asked[]): Promise<void> {
		const result = await streams
			.run(readsOf(asked.map(({ statement }) => statement)))
			.catch((error: unknown) => ({ error }));
		if ("error" in result && result.error instanceof LibsqlError && asked.length > 1) {
			// Refused as a whole, as for an answer that is too large: one of them is to blame, and the others are not.
			await Promise.all(asked.map((one) => answer([one])));
			return;
		}
		for (const [place, { answer: tell }] of asked.entries()) {
			tell(
				"error" in result ? Promise.reject(result.error) : Promise.resolve(result).then((all) => foundBy(all, place)),
			);
		}
	}

	return {
		async rows(sql, args) {
			const untilMs = performance.now() + READ_AGAIN_MS;
			for (let tries = 1; ; tries++) {
				try {
					const found = await retryBusy(() => ask({ sql, args }), performance.now() + SERVER_BUSY_MS);
					return found.rows;
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
