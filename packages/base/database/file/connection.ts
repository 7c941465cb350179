import { setTimeout as pause } from "node:timers/promises";
import { type Client, createClient, LibsqlError } from "@libsql/client/sqlite3";
import { DatabaseError } from "../../database-error.ts";
import { isTurnLong, nextTurn, shareTurn } from "../../pace/turns.ts";
import { codeOf, databaseError } from "../fault.ts";

/** One connection to the database, on which operations run safe from the driver's traps. */
export interface Connection {
	run<T>(operation: (client: Client) => Promise<T>): Promise<T>;
	/** Waits for running operations; none runs afterwards. */
	close(): Promise<void>;
}

export interface FileConnectionOptions {
	readonly url: string;
	readonly pragmas: readonly string[];
	/** How long an operation waits for another process that locks the file, its place in the line included. */
	readonly busyTimeoutMs: number;
	/** Frees space on a full disk; false when it cannot. Nothing else runs meanwhile: it would not fit either. */
	readonly onFull?: (() => Promise<boolean>) | undefined;
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;
/** The driver leaks about 4 KB for every statement until the event loop turns. */
export const OPERATIONS_PER_TURN = 50;

/**
 * A connection to a file. Operations run one after the other: the driver is synchronous inside, so this costs nothing, and
 * a reconnect can never close the connection under another caller's statement.
 */
export function fileConnection({ url, pragmas, busyTimeoutMs, onFull }: FileConnectionOptions): Connection {
	// SQLite would wait inside a synchronous call, in which nothing else runs: it never waits, and is asked again instead.
	const client = createClient({ url, concurrency: 1, timeout: 0 });
	let state: "new" | "ready" | "suspect" | "closed" = "new";
	let operations = 0;
	let lane: Promise<unknown> = Promise.resolve();

	async function prepare(): Promise<void> {
		if (state === "closed") throw new Error("This database is closed.");
		if (state === "ready") return;
		// After one SQLITE_BUSY every later COMMIT fails too ("SQL statements in progress"), until the connection is a new one.
		if (state === "suspect") await client.reconnect();
		// A new connection has none of the settings of an earlier one.
		for (const pragma of pragmas) await client.execute(`PRAGMA ${pragma}`);
		state = "ready";
	}

	async function attempt<T>(operation: (client: Client) => Promise<T>): Promise<T> {
		try {
			await prepare();
			return await operation(client);
		} catch (error) {
			// A broken constraint is an ordinary answer. After anything else the driver may have dropped the connection.
			if (state === "ready" && codeOf(error) !== "SQLITE_CONSTRAINT") state = "suspect";
			throw error;
		}
	}

	async function persist<T>(operation: (client: Client) => Promise<T>, untilMs: number): Promise<T> {
		operations += 1;
		if (operations % OPERATIONS_PER_TURN === 0) await nextTurn();
		if (isTurnLong()) await shareTurn();
		const work = () => retryBusy(() => attempt(operation), untilMs);
		return await fitted(work, onFull);
	}

	function enqueue<T>(work: () => Promise<T>): Promise<T> {
		const result = lane.then(work);
		lane = result.catch(() => undefined);
		return result;
	}

	return {
		run(operation) {
			const untilMs = performance.now() + busyTimeoutMs;
			return enqueue(() => persist(operation, untilMs));
		},
		close: () =>
			enqueue(async () => {
				state = "closed";
				client.close();
			}),
	};
}

/** A full disk keeps no part of a change, so it can be tried again once there is space. */
async function fitted<T>(work: () => Promise<T>, onFull: FileConnectionOptions["onFull"]): Promise<T> {
	try {
		return await work();
	} catch (error) {
		const full = error instanceof DatabaseError && error.code === "SQLITE_FULL";
		if (!(full && (await onFull?.()))) throw error;
		return await work();
	}
}

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
