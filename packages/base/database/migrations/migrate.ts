import { readdir, readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import type { Clock } from "../../ports.ts";
import { MIGRATIONS } from "../../processes/programs.ts";
import type { Database } from "../client.ts";
import { reasonOf } from "../fault.ts";

export interface Migration {
	/** The name of its file; the number in it gives the order. */
	readonly name: string;
	readonly statements: readonly string[];
	/** SHA-256 of the file, in hexadecimal. */
	readonly sha256: string;
	/** What a release that does not know it must know to work beside it: `needsOf`. */
	readonly needs?: string | undefined;
}

/** What a database lacks of this release, and what it has of a newer one. */
export interface MigrationState {
	readonly missing: readonly string[];
	readonly later: readonly string[];
}

const NEEDS = "needs";
export const BREAKPOINT = "--> statement-breakpoint";
const MARK = /^-- (?:(expands)|contracts (\w+))\n/;

/** The migrations of this release, in order. */
export async function readMigrations(folder: URL = MIGRATIONS): Promise<readonly Migration[]> {
	const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
	return await Promise.all(
		names.map(async (name) => {
			const text = await readFile(new URL(name, folder), "utf8");
			const statements = text.split(BREAKPOINT).map((statement) => statement.trim());
			return { name: name.slice(0, -".sql".length), statements, sha256: await sha256(text), needs: needsOf(text) };
		}),
	);
}

/**
 * What a release must know to work beside a migration that it does not know: nothing (""), or the migration that it completes. Undefined: no other
 * release works beside it.
 */
export function needsOf(text: string): string | undefined {
	const [mark, expands, completed] = MARK.exec(text) ?? [];
	if (mark === undefined) return undefined;
	return expands === undefined ? completed : "";
}

/**
 * Brings a database to this release: each migration that it lacks, in order, whole and recorded in one commit. Harmless to repeat, and
 * several processes may do it at once on one server. Uses only transactions, so that it works on a remote server. `patient` is the same
 * database with a longer timeout, to rebuild a table: after a timeout the server rolls the migration back, at every start anew.
 * @returns what it lacked, and what it has of a newer release that this one works beside
 * @throws Error when the database was written by a newer release that this one cannot work beside, or by another version of a migration.
 */
export async function migrate(
	database: Database,
	migrations: readonly Migration[],
	clock: Clock,
	patient: Pick<Database, "write"> = database,
): Promise<MigrationState> {
	await makeRecord(database);
	const before = await stateOf(database, migrations);
	// Another process may apply a migration between the read and the commit; then the next read finds it applied.
	for (let attempt = 0; attempt <= migrations.length; attempt += 1) {
		const applied = await findApplied(database);
		requireKnown(applied, migrations);
		const next = migrations[applied.length];
		if (next === undefined) return before;
		try {
			await apply(patient, applied.length, next, clock.now());
		} catch (error) {
			if (!(await isRecorded(database, applied.length))) throw failed(next, error);
		}
	}
	return before;
}

/** Changes nothing. @throws Error as {@link migrate} */
export async function readMigrationState(
	database: Database,
	migrations: readonly Migration[],
): Promise<MigrationState> {
	const columns = await columnsOfRecord(database);
	if (columns.length === 0) return { missing: migrations.map(({ name }) => name), later: [] };
	return await stateOf(database, migrations, columns);
}

async function stateOf(
	database: Database,
	migrations: readonly Migration[],
	columns?: readonly string[],
): Promise<MigrationState> {
	const applied = await findApplied(database, columns);
	requireKnown(applied, migrations);
	return {
		missing: migrations.slice(applied.length).map(({ name }) => name),
		later: applied.slice(migrations.length).map(({ name }) => name),
	};
}

/** The table of migrations is older than what it says of releases side by side. */
async function makeRecord(database: Database): Promise<void> {
	await database.write([
		{
			run: sql`CREATE TABLE IF NOT EXISTS migrations (
				position integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_ms integer NOT NULL
			) STRICT`,
		},
	]);
	if ((await columnsOfRecord(database)).includes(NEEDS)) return;
	try {
		await database.write([{ run: sql.raw(`ALTER TABLE migrations ADD ${NEEDS} text`) }]);
	} catch (error) {
		// Another process may have been faster.
		if (!(await columnsOfRecord(database)).includes(NEEDS)) throw error;
	}
}

/** None where there is no such table. */
async function columnsOfRecord({ queries, read }: Database): Promise<readonly string[]> {
	const rows = await read(() => queries.values<[string]>(sql`SELECT name FROM pragma_table_info('migrations')`));
	return rows.map(([name]) => name);
}

interface Applied {
	readonly name: string;
	readonly sha256: string;
	readonly needs: string | null;
}

async function findApplied(database: Database, columns: readonly string[] = [NEEDS]): Promise<readonly Applied[]> {
	const named = sql.raw(columns.includes(NEEDS) ? NEEDS : "NULL");
	const rows = await database.read(() =>
		database.queries.values<[string, string, string | null]>(
			sql`SELECT name, sha256, ${named} FROM migrations ORDER BY position`,
		),
	);
	return rows.map(([name, sha256, needs]) => ({ name, sha256, needs }));
}

function requireKnown(applied: readonly Applied[], migrations: readonly Migration[]): void {
	const isOurs = (needed: string) => needed === "" || migrations.some(({ name }) => name === needed);
	for (const [position, { name, sha256, needs }] of applied.entries()) {
		const known = migrations[position];
		if (known === undefined) {
			if (needs !== null && isOurs(needs)) continue;
			throw new Error(
				`The database has the migration ${name}, which this release does not know: start a newer release, for this one cannot work beside it.`,
			);
		}
		if (known.name !== name || known.sha256 !== sha256) {
			throw new Error(
				`The database was made by the migration ${name}, which differs from ${known.name} of this release: an applied migration never changes.`,
			);
		}
	}
}

async function apply(
	database: Pick<Database, "write">,
	position: number,
	migration: Migration,
	nowMs: number,
): Promise<void> {
	// Recorded first: a second process fails on the primary key before it touches anything.
	const { name, sha256, needs = null } = migration;
	const record = sql`INSERT INTO migrations (position, name, sha256, applied_ms, needs)
		VALUES (${position}, ${name}, ${sha256}, ${nowMs}, ${needs})`;
	await database.write([{ run: record }, ...migration.statements.map((statement) => ({ run: sql.raw(statement) }))]);
}

async function isRecorded(database: Database, position: number): Promise<boolean> {
	return (await findApplied(database)).length > position;
}

function failed({ name }: Migration, cause: unknown): Error {
	return new Error(`The migration ${name} failed and left nothing behind: ${reasonOf(cause)}`, { cause });
}

async function sha256(text: string): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
	return new Uint8Array(digest).toHex();
}
