import { type Client, LibsqlBatchError } from "@libsql/client/sqlite3";
import { DrizzleQueryError, type SQLWrapper } from "drizzle-orm";
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { DatabaseError } from "../database-error.ts";
import { type ChangeStatement, GUARD, statementOf } from "./change-statements.ts";
import type { Changes } from "./changes.ts";
import { type Connection, fileConnection } from "./file/connection.ts";
import { fileChanges } from "./file/file-changes.ts";
import { keptReader, type Reader } from "./file/kept-reader.ts";
import { acquireOwnerLock } from "./file/owner-lock.ts";
import { type Engine, serverEngine } from "./remote/engine.ts";
import type { ChangeBatch } from "./remote/hrana.ts";
import { remoteReader } from "./remote/remote.ts";
import { remoteChanges } from "./remote/remote-changes.ts";
import { remoteWriter } from "./remote/remote-writer.ts";
import { Progress } from "./remote/server-streams.ts";
import { CLAIM_LOST, type Claims, claimLost, claimOf } from "./request-claims.ts";
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

/** Above this a read or a change is slow. */
export const SLOW_MS = 50;

const WRITER_PRAGMAS = [
	"journal_mode=WAL",
	// A create that was answered survives a power cut: every commit is synced.
	"synchronous=FULL",
	"foreign_keys=ON",
	// What is overwritten may be a secret. FAST costs no writes: pages that are free are left as they are.
	"secure_delete=FAST",
	"cache_size=-16000",
	"journal_size_limit=67108864",
];
const READER_PRAGMAS = ["query_only=ON", "cache_size=-64000", "temp_store=MEMORY"];

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
	const changes = fileChanges(reader);
	const make = fileWriter(writer, onSlow);
	return {
		kind: "file",
		engine: undefined,
		claims,
		changes,
		...queriesOn(reader, onSlow),
		write: (steps) =>
			write({ writer: (change) => changes.making(change.statements, () => make(change)), claims }, steps),
		stalledMs: () => 0,
		checkpoint,
		async compact() {
			await writer.run((client) => client.execute("VACUUM"));
			await checkpoint();
		},
		async close() {
			await reader.close();
			// A log that cannot be emptied now is read at the next start; nothing in it is lost.
			await checkpoint().catch(() => undefined);
			await writer.close();
			await lock.release();
		},
	};
}

function openRemote({
	url,
	token,
	onSlow,
	remoteTimeoutMs = 8_000,
	progress = new Progress(),
}: DatabaseOptions): Database {
	const server = { url, token, progress, timeoutMs: remoteTimeoutMs };
	const reader = remoteReader(server);
	const connection = remoteWriter(server);
	const slowly = <T>([change]: readonly ChangeBatch[], operation: () => Promise<T>) =>
		timed(change?.steps[1]?.stmt.sql ?? "", onSlow, operation);
	const make = remoteChanges({
		change: (change) => slowly([change], () => connection.change(change)),
		group: (changes, apart) => slowly(changes, () => connection.group(changes, apart)),
	});
	const writer: Writer = async ({ statements }) => (await make(statements)).map(asRows);
	const claims: Claims = new Map();
	return {
		kind: "remote",
		engine: serverEngine({ url, token, change: make, renew: connection.renew }),
		claims,
		changes: undefined,
		...queriesOn(reader, onSlow),
		write: (steps) => write({ writer, claims }, steps),
		stalledMs: connection.stalledMs,
		// The server maintains its own log, and its file.
		checkpoint: async () => undefined,
		compact: async () => undefined,
		async close() {
			await reader.close();
			await connection.close();
		},
	};
}

async function requireWal(writer: Connection): Promise<void> {
	const mode = await writer.run((client) => client.execute("PRAGMA journal_mode"));
	if (mode.rows[0]?.journal_mode !== "wal") {
		throw new Error("The database file lies on a file system that cannot keep a write-ahead log; use a local disk.");
	}
}

function queriesOn(
	reader: Pick<Reader, "rows">,
	onSlow: DatabaseOptions["onSlow"],
): Pick<Database, "queries" | "read" | "rows"> {
	const rows: Database["rows"] = (sql, args, many) => timed(sql, onSlow, () => reader.rows(sql, args, many));
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

type Change = readonly (readonly Row[])[];

/** Makes a change, as often as others are in its way. */
type Writer = (change: { readonly statements: readonly ChangeStatement[]; readonly name: string }) => Promise<Change>;

function fileWriter(connection: Connection, onSlow: DatabaseOptions["onSlow"]): Writer {
	return ({ statements, name }) => connection.run((client) => timed(name, onSlow, () => commit(client, statements)));
}

interface Writing {
	readonly writer: Writer;
	readonly claims: Claims;
}

async function write<Cause extends string>(
	{ writer, claims }: Writing,
	steps: readonly Step<Cause>[],
): Promise<WriteResult<Cause>> {
	const batch = withClaim(toBatch(steps), claimOf(steps, claims));
	try {
		const results = await writer(batch);
		const rows = results.filter((_, place) => !batch.guards.has(place) && !batch.added.has(place));
		const written: Written = { refused: undefined, rows };
		return written as WriteResult<Cause>;
	} catch (error) {
		const refused = refusalOf(error, batch);
		if (refused === undefined) throw error;
		if (refused === CLAIM_LOST) throw claimLost(error);
		return { refused } as WriteResult<Cause>;
	}
}

interface Batch<Cause extends string> {
	readonly statements: readonly ChangeStatement[];
	/** The refusal cause of the guard at each index. */
	readonly guards: ReadonlyMap<number, Cause>;
	/** The places of statements that are none of the steps' own. */
	readonly added: ReadonlySet<number>;
	/** The first statement names the whole batch in reports. */
	readonly name: string;
}

function toBatch<Cause extends string>(steps: readonly Step<Cause>[]): Batch<Cause> {
	const statements: ChangeStatement[] = [];
	const guards = new Map<number, Cause>();
	for (const step of steps) {
		statements.push(statementOf(step));
		if (step.guard !== undefined) {
			guards.set(statements.length, step.guard);
			statements.push(GUARD);
		}
	}
	return { statements, guards, added: new Set(), name: statements[0]?.sql ?? "" };
}

/** The change of a request that holds a claim marks the claim as well, or is refused with it; what the change looks at in the end stays there. */
function withClaim<Cause extends string>(
	batch: Batch<Cause>,
	claim: SQLWrapper | undefined,
): Batch<Cause | typeof CLAIM_LOST> {
	if (claim === undefined) return batch;
	const { statements } = batch;
	const place = statements.findLastIndex(({ kind }) => kind !== "look") + 1;
	const marks = toBatch([{ run: claim, guard: CLAIM_LOST }]);
	const guards = new Map<number, Cause | typeof CLAIM_LOST>(batch.guards);
	for (const [mark, cause] of marks.guards) guards.set(place + mark, cause);
	const added = new Set(marks.statements.keys().map((mark) => place + mark));
	return { ...batch, guards, added, statements: statements.toSpliced(place, 0, ...marks.statements) };
}

// One batch and never an interactive transaction: a second one would wait, synchronously and for ever, for the first.
async function commit(client: Client, statements: readonly ChangeStatement[]): Promise<Change> {
	const sent = statements.map(({ sql, args }) => ({ sql, args }));
	const results = await client.batch(sent as Parameters<Client["batch"]>[0], "write");
	return results.map(asRows);
}

function refusalOf<Cause extends string>(error: unknown, { guards }: Batch<Cause>): Cause | undefined {
	if (!(error instanceof DatabaseError) || error.code !== "SQLITE_CONSTRAINT") return undefined;
	return error.cause instanceof LibsqlBatchError ? guards.get(error.cause.statementIndex) : undefined;
}

// `rowsAffected` is always 0 for RETURNING, so rows are all that a caller gets to see.
function asRows({
	columns,
	rows,
}: {
	readonly columns: readonly string[];
	readonly rows: readonly ArrayLike<unknown>[];
}) {
	return rows.map((row) => Object.fromEntries(columns.map((column, place) => [column, row[place]])));
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
