import { setTimeout as pause } from "node:timers/promises";
import { LibsqlError } from "@libsql/client/sqlite3";
import { nextTurn } from "../../pace/turns.ts";
import { codeOf, databaseError } from "../fault.ts";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/** An error that is neither the driver's nor ours is a bug, and stays what it is. */
export function known(error: unknown): unknown {
	return error instanceof LibsqlError ? databaseError(error) : error;
}

/**
 * Repeats an operation that met another process's lock until `untilMs` of `performance.now()`; what comes later than that has one try.
 * BUSY means that nothing was written. No other error is tried again here: a commit whose answer was lost may have happened.
 */
export async function retryBusy<T>(operation: () => Promise<T>, untilMs: number): Promise<T> {
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
		try {
			return await operation();
		} catch (error) {
			if (codeOf(error) !== "SQLITE_BUSY") throw known(error);
			const isOver = performance.now() > untilMs;
			// Also after the last try: a long line of changes that all fail must let requests be served.
			await (isOver ? nextTurn() : pause(pauseMs));
			if (isOver) throw known(error);
		}
	}
}
