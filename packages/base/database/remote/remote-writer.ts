import { LibsqlError } from "@libsql/client/sqlite3";
import { DatabaseError } from "../../database-error.ts";
import { type Ended, type Group, groupOf } from "./change-groups.ts";
import { Programs } from "./change-programs.ts";
import { type BatchResult, type ChangeBatch, changedBy, changeOf, type Found } from "./hrana.ts";
import type { RemoteOptions } from "./remote.ts";
import { type Asked, serverStreams } from "./server-streams.ts";

/*
 * A libSQL server lets connections that want to write stand in a line of its own, which has a fault (seen in 0.24.32): one that waited and
 * gives up leaves its entry behind, and when that entry's turn comes the place goes to a connection that does not want it. If it is closed by
 * then, nobody ever gives the place on; if it waits in the line for another entry of its own, all wait for five seconds. So a process shows up
 * there with one connection, keeps it, and passes on by an empty change what may have been given to it unasked.
 */

/** Makes changes on a libSQL server, each whole or not at all. All take what `changeOf` makes. */
export interface RemoteWriter {
	/** What each statement returned. @throws DatabaseError where the answer was lost @throws LibsqlError why nothing was changed */
	change(change: ChangeBatch): Promise<readonly Found[]>;
	/**
	 * Several changes in one transaction.
	 * @param apart those that no program is to make, and to which those come that one has refused
	 * @throws DatabaseError, LibsqlError as `change` does, of all of them
	 */
	group(changes: readonly ChangeBatch[], apart: Set<ChangeBatch>): Promise<readonly Ended[]>;
	/** How long the server has left a change without an answer; 0 while it answers in time. */
	stalledMs(): number;
	/** Lets go of the connection at rest: the next change is made on a new one. */
	renew(): Promise<void>;
	close(): Promise<void>;
}

/** A change that got no answer is left alone for so long: its connection may stand in the line, and must not vanish from it. */
const LINGER_MS = 60_000;
/** A second connection is the way out where the first one's network is gone; more would only make the line longer. */
const UNANSWERED_MAX = 2;
/** The server lets nobody keep others waiting for more than five seconds. */
const STALLED_MS = 5_500;
/** Above this a change has met others in the line. */
const CROWDED_MS = 50;
/** After a change that met others: when what was given to this connection unasked is passed on. */
const PASS_ON_MS = [40, 250, 1_500, 5_000] as const;

export function remoteWriter(options: RemoteOptions): RemoteWriter {
	const streams = serverStreams({ ...options, lingerMs: LINGER_MS });
	const programs = new Programs();
	/** When those began that the server has not answered, whether or not anybody waits for them still. */
	const unanswered = new Set<{ readonly sinceMs: number }>();
	let timers: ReturnType<typeof setTimeout>[] = [];
	let passing: Promise<void> = Promise.resolve();

	function stalledMs(): number {
		const [oldest] = unanswered;
		const ms = oldest ? performance.now() - oldest.sinceMs : 0;
		return ms > STALLED_MS ? ms : 0;
	}

	function passOn(): void {
		if (unanswered.size === 0) passing = passing.then(() => streams.runOnRest(changeOf([]))).catch(() => undefined);
	}

	function passOnSoon(): void {
		for (const timer of timers) clearTimeout(timer);
		timers = PASS_ON_MS.map((ms) => setTimeout(passOn, ms).unref());
	}

	async function send(asked: Asked): Promise<BatchResult> {
		// On a second connection it would stand in the line behind what is being passed on.
		await passing;
		if (unanswered.size >= UNANSWERED_MAX || stalledMs() > 0) throw stalled();
		const one = { sinceMs: performance.now() };
		unanswered.add(one);
		const { answer, settled } = streams.begin(asked);
		settled
			.finally(() => {
				unanswered.delete(one);
				if (performance.now() - one.sinceMs > CROWDED_MS) passOnSoon();
			})
			// Whoever waits for the answer is told.
			.catch(() => undefined);
		return await answer;
	}

	return {
		stalledMs,
		change: async (change) => changedBy(await send(change), change),
		async group(changes, apart) {
			let group: Group | undefined;
			const asked = (kept: Set<string>) => {
				group = groupOf(changes, { programs, kept, apart });
				return group.batch;
			};
			const result = await send(asked).catch((cause: unknown) => {
				const ended = isUnparsed(cause) ? group?.endedUnread() : undefined;
				if (!ended) throw cause;
				return ended;
			});
			return "step_results" in result ? (group?.endedBy(result) ?? []) : result;
		},
		async renew() {
			passOn();
			await passing;
			await streams.renew();
		},
		async close() {
			for (const timer of timers) clearTimeout(timer);
			passOn();
			await passing;
			await streams.close();
		},
	};
}

/** The server reads all statements of a batch before it does the first of them. */
function isUnparsed(cause: unknown): boolean {
	return cause instanceof LibsqlError && cause.code === "SQL_PARSE_ERROR";
}

/** As where others write: nothing was tried. */
function stalled(): DatabaseError {
	return new DatabaseError("SQLITE_BUSY", "no", new Error("The libSQL server has left a change without an answer."));
}
