import { type Client, type InArgs, LibsqlBatchError, type ResultSet } from "@libsql/client";
import { DrizzleQueryError, type SQLWrapper } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { DatabaseError } from "../database-error.ts";
import { changeLine } from "./change-line.ts";
import { type Connection, fileConnection, remoteConnection } from "./connection.ts";
import { keptReader, type Reader } from "./kept-reader.ts";
import { acquireOwnerLock } from "./owner-lock.ts";
import { CLAIM_LOST, type Claims, claimLost, claimOf } from "./request-claims.ts";

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
}

/**
 * One statement of a change. A guard names the cause of refusal when the statement does not touch exactly one row; then no part
 * of the change is kept.
 */
export interface Step<Cause extends string = never> {
	readonly run: SQLWrapper;
	readonly guard?: Cause;
}

export type Row = Readonly<Record<string, unknown>>;

interface Written {
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
	/** A new number after every change to a local file; undefined where other processes may write as well. */
	readonly version: (() => number) | undefined;
	/** Requests whose changes are kept only together with the claim that they hold. */
	readonly claims: Claims;
	/** Builds typed queries; only `read` may run them. */
	readonly queries: SqliteRemoteDatabase;
	/** Runs a query. @throws DatabaseError */
	read<T>(query: () => PromiseLike<T>): Promise<T>;
	/** For the hottest look-ups, where building a typed row costs more than finding it. @throws DatabaseError */
	rows(sql: string, args: readonly unknown[]): Promise<unknown[][]>;
	/** Writes one change, whole or not at all; it is durable when this resolves. @throws DatabaseError */
	write<Cause extends string = never>(steps: readonly Step<Cause>[]): Promise<WriteResult<Cause>>;
	/** Moves the write-ahead log into the file, so that it does not grow under a constant load. */
	checkpoint(): Promise<void>;
	close(): Promise<void>;
}

const SLOW_MS = 50;
const READ_TRIES = 3;
const READ_AGAIN_MS = 1_000;
const READ_PAUSE_MS = 25;
const dialect = new SQLiteAsyncDialect();

const WRITER_PRAGMAS = [
	"journal_mode=WAL",
	// A create that was answered survives a power cut: every commit is synced.
	"synchronous=FULL",
	"foreign_keys=ON",
	"cache_size=-16000",
	"journal_size_limit=67108864",
];
const READER_PRAGMAS = ["query_only=ON", "cache_size=-64000", "temp_store=MEMORY"];

// The NOT NULL column makes the insert fail exactly when the statement before it did not touch one row.
const GUARD = "INSERT INTO guard SELECT NULL WHERE changes() <> 1";

/**
 * Opens a database and, for a file, becomes its owner. All workarounds for the driver are here and in connection.ts.
 * @throws Error when the file already has an owner, or lies where no write-ahead log can be kept.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
	const { protocol } = new URL(options.url);
	if (protocol === "file:") return await openFile(options);
	if (["libsql:", "https:", "http:"].includes(protocol)) return openRemote(options);
	throw new Error(`A database address starts with file:, libsql://, https:// or http://, not with ${protocol}`);
}

async function openFile({ url, onSlow, onFull, busyTimeoutMs = 5_000 }: DatabaseOptions): Promise<Database> {
	if (/[?#]|:memory:/.test(url)) throw new Error("A database file is named by its path alone.");
	const lock = await acquireOwnerLock(url);
	const writer = fileConnection({ url, pragmas: WRITER_PRAGMAS, busyTimeoutMs, onFull });
	try {
		await requireWal(writer);
	} catch (error) {
		await writer.close();
		await lock.release();
		throw error;
	}
	const reader = keptReader({ url, pragmas: READER_PRAGMAS, busyTimeoutMs });
	const checkpoint = async () => {
		await writer.run((client) => client.execute("PRAGMA wal_checkpoint(TRUNCATE)"));
	};
	const claims: Claims = new Map();
	let version = 0;
	return {
		kind: "file",
		claims,
		version: () => version,
		...queriesOn(reader, onSlow),
		async write(steps) {
			// Raised before and after: a read during the change belongs to neither version.
			version += 1;
			try {
				return await write({ writer, claims, onSlow }, steps);
			} finally {
				version += 1;
			}
		},
		checkpoint,
		async close() {
			await reader.close();
			// A log that cannot be emptied now is read at the next start; nothing in it is lost.
			await checkpoint().catch(() => undefined);
			await writer.close();
			await lock.release();
		},
	};
}

function openRemote({ url, token, onSlow, remoteTimeoutMs = 8_000 }: DatabaseOptions): Database {
	const connection = remoteConnection({ url, token, timeoutMs: remoteTimeoutMs });
	const inLine = changeLine();
	const claims: Claims = new Map();
	return {
		kind: "remote",
		claims,
		version: undefined,
		...queriesOn(remoteReader(connection), onSlow),
		write: (steps) => inLine(() => write({ writer: connection, claims, onSlow }, steps)),
		// The server maintains its own log.
		checkpoint: async () => undefined,
		close: () => connection.close(),
	};
}

async function requireWal(writer: Connection): Promise<void> {
	const mode = await writer.run((client) => client.execute("PRAGMA journal_mode"));
	if (mode.rows[0]?.journal_mode !== "wal") {
		throw new Error("The database file lies on a file system that cannot keep a write-ahead log; use a local disk.");
	}
}

/** A read whose answer got lost is repeated, for a moment: it changes nothing. */
function remoteReader(connection: Connection): Pick<Reader, "rows"> {
	return {
		async rows(sql, args) {
			const untilMs = performance.now() + READ_AGAIN_MS;
			for (let tries = 1; ; tries++) {
				try {
					const result = await connection.run((client) => client.execute({ sql, args: [...args] as InArgs }));
					return result.rows.map((row) => Array.from(row));
				} catch (error) {
					const isLost = error instanceof DatabaseError && error.written === "unknown";
					if (!isLost || tries === READ_TRIES || performance.now() > untilMs) nothingChanged(error);
					await new Promise((resolve) => setTimeout(resolve, tries * READ_PAUSE_MS));
				}
			}
		},
	};
}

/** A read has changed nothing, whatever became of its answer. */
function nothingChanged(error: unknown): never {
	throw error instanceof DatabaseError ? new DatabaseError(error.code, "no", error.cause) : error;
}

function queriesOn(
	reader: Pick<Reader, "rows">,
	onSlow: DatabaseOptions["onSlow"],
): Pick<Database, "queries" | "read" | "rows"> {
	const rows: Database["rows"] = (sql, args) => timed(sql, onSlow, () => reader.rows(sql, args));
	const queries = drizzle(async (sql, params, method) => {
		const found = await rows(sql, params);
		// For `get` the builder wants the row itself, or undefined where there is none, whatever its type says.
		return { rows: method === "get" ? (found[0] as unknown[]) : found };
	});
	return {
		queries,
		rows,
		async read(query) {
			try {
				return await query();
			} catch (error) {
				// The builder's message holds the SQL and the values; its cause is the original error.
				throw error instanceof DrizzleQueryError ? error.cause : error;
			}
		},
	};
}

interface Writing {
	readonly writer: Connection;
	readonly claims: Claims;
	readonly onSlow: DatabaseOptions["onSlow"];
}

async function write<Cause extends string>(
	{ writer, claims, onSlow }: Writing,
	steps: readonly Step<Cause>[],
): Promise<WriteResult<Cause>> {
	const batch = withClaim(toBatch(steps), claims);
	try {
		const results = await writer.run((client) => timed(batch.name, onSlow, () => commit(client, batch)));
		const written: Written = {
			refused: undefined,
			rows: results
				.slice(0, batch.own)
				.filter((_, place) => !batch.guards.has(place))
				.map(rowsOf),
		};
		return written as WriteResult<Cause>;
	} catch (error) {
		const refused = refusalOf(error, batch);
		if (refused === undefined) throw error;
		if (refused === CLAIM_LOST) throw claimLost(error);
		return { refused } as WriteResult<Cause>;
	}
}

interface Batch<Cause extends string> {
	readonly statements: readonly { readonly sql: string; readonly args: unknown[] }[];
	/** The refusal cause of the guard at each index. */
	readonly guards: ReadonlyMap<number, Cause>;
	/** How many statements are the steps' own. */
	readonly own: number;
	/** The first statement names the whole batch in reports. */
	readonly name: string;
}

function toBatch<Cause extends string>(steps: readonly Step<Cause>[]): Batch<Cause> {
	const statements: { sql: string; args: unknown[] }[] = [];
	const guards = new Map<number, Cause>();
	for (const step of steps) {
		const { sql, params } = dialect.sqlToQuery(step.run.getSQL());
		statements.push({ sql, args: params });
		if (step.guard !== undefined) {
			guards.set(statements.length, step.guard);
			statements.push({ sql: GUARD, args: [] });
		}
	}
	return { statements, guards, own: statements.length, name: statements[0]?.sql ?? "" };
}

/** The change of a request that holds a claim marks the claim as well, or is refused with it. */
function withClaim<Cause extends string>(batch: Batch<Cause>, claims: Claims): Batch<Cause | typeof CLAIM_LOST> {
	const claim = claimOf(batch.statements, claims);
	if (claim === undefined) return batch;
	const marks = toBatch([{ run: claim, guard: CLAIM_LOST }]);
	const guards = new Map<number, Cause | typeof CLAIM_LOST>(batch.guards);
	for (const [place, cause] of marks.guards) guards.set(batch.own + place, cause);
	return { ...batch, guards, statements: [...batch.statements, ...marks.statements] };
}

// One batch and never an interactive transaction: a second one would wait, synchronously and for ever, for the first.
function commit(client: Client, { statements }: Batch<string>): Promise<ResultSet[]> {
	return client.batch(statements as Parameters<Client["batch"]>[0], "write");
}

function refusalOf<Cause extends string>(error: unknown, { guards }: Batch<Cause>): Cause | undefined {
	if (!(error instanceof DatabaseError) || error.code !== "SQLITE_CONSTRAINT") return undefined;
	return error.cause instanceof LibsqlBatchError ? guards.get(error.cause.statementIndex) : undefined;
}

// `rowsAffected` is always 0 for RETURNING, so rows are all that a caller gets to see.
function rowsOf(result: ResultSet): readonly Row[] {
	return result.rows.map((row) => Object.fromEntries(result.columns.map((column) => [column, row[column]])));
}

async function timed<T>(sql: string, onSlow: DatabaseOptions["onSlow"], operation: () => Promise<T>): Promise<T> {
	const startMs = performance.now();
	try {
		return await operation();
	} finally {
		const ms = performance.now() - startMs;
		if (ms > SLOW_MS) onSlow?.({ sql, ms });
	}
}
