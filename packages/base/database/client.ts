import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Changes } from "./changes.ts";
import type { Engine } from "./remote/engine.ts";
import type { Progress } from "./remote/server-streams.ts";
import type { Claims } from "./request-claims.ts";
import type { Step } from "./step.ts";

export interface DatabaseOptions {
	/** `file:` for a file of our own; `libsql://`, `https://` or `http://` for a libSQL server. */
	readonly url: string;
	readonly token?: string | undefined;
	/** Called with every read or batch over 50 ms. `sql` holds no values. */
	readonly onSlow?: ((slow: { readonly sql: string; readonly ms: number }) => void) | undefined;
	/** Frees space on a full disk, without the database; false when it cannot. The failed write is then repeated once. */
	readonly onFull?: (() => Promise<boolean>) | undefined;
	/** How long to wait for another process that locks the file. */
	readonly busyTimeoutMs?: number;
	/** How long to wait for a server's answer. */
	readonly remoteTimeoutMs?: number;
	/** Shared by all that one process opens at one server, where that may be a replica. */
	readonly progress?: Progress;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Written {
	readonly refused: undefined;
	/** Each step's RETURNING rows; undefined where they were lost on the way, and only that the change happened is known. */
	readonly rows: readonly (readonly Row[])[] | undefined;
}

/** The result of a change. Without guards it cannot be refused. */
export type WriteResult<Cause extends string> = [Cause] extends [never]
	? Written
	: Written | { readonly refused: Cause };

export interface Database {
	readonly kind: "file" | "remote";
	/** What is known of the changes of a local file; undefined where other processes may write as well. */
	readonly changes: Changes | undefined;
	/** What the server says of itself; undefined with a file, whose every commit is synced by this process. */
	readonly engine: Engine | undefined;
	/** Requests whose changes are kept only together with the claim that they hold. */
	readonly claims: Claims;
	/** Builds typed queries; only `read` may run them. */
	readonly queries: SqliteRemoteDatabase;
	/** Runs a query. @throws DatabaseError */
	read<T>(query: () => PromiseLike<T>): Promise<T>;
	/**
	 * For the hottest look-ups, where building a typed row costs more than finding it.
	 * @param many the same for several at once, of `lookUpOf`: a server is then asked for those that begin together with one statement
	 * @throws DatabaseError
	 */
	rows(sql: string, args: readonly unknown[], many?: string): Promise<unknown[][]>;
	/** Writes one change, whole or not at all; it is durable when this resolves. @throws DatabaseError */
	write<Cause extends string = never>(steps: readonly Step<Cause>[]): Promise<WriteResult<Cause>>;
	/** How long a server has left a change without an answer; 0 while it answers, and with a file. */
	stalledMs(): number;
	/** Moves the write-ahead log into the file, so that it does not grow under a constant load. */
	checkpoint(): Promise<void>;
	/** Writes a file anew, so that nothing is left of what was overwritten. For a start: whatever else begins waits for it. A server does its own. */
	compact(): Promise<void>;
	close(): Promise<void>;
}
