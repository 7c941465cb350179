import { readdir, readFile } from "node:fs/promises";
import { sql } from "drizzle-orm";
import type { Clock } from "../ports.ts";
import { MIGRATIONS } from "../programs.ts";
import type { Database } from "./client.ts";
import { reasonOf } from "./fault.ts";

export interface Migration {
	/** The name of its file; the number in it gives the order. */
	readonly name: string;
	readonly statements: readonly string[];
	/** SHA-256 of the file, in hexadecimal. */
	readonly sha256: string;
}

export const BREAKPOINT = "--> statement-breakpoint";

/** The migrations of this release, in order. */
export async function readMigrations(folder: URL = MIGRATIONS): Promise<readonly Migration[]> {
	const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
	return await Promise.all(
		names.map(async (name) => {
			const text = await readFile(new URL(name, folder), "utf8");
			const statements = text.split(BREAKPOINT).map((statement) => statement.trim());
			return { name: name.slice(0, -".sql".length), statements, sha256: await sha256(text) };
		}),
	);
}

/**
 * Brings a database to this release: each migration that it lacks, in order, whole and recorded in one commit. Harmless to repeat, and
 * several processes may do it at once on one server. Uses only transactions, so that it works on a remote server. `patient` is the same
 * database with a longer timeout, to rebuild a table: after a timeout the server rolls the migration back, at every start anew.
 * @throws Error when the database was written by a newer release, or by another version of a migration.
 */
export async function migrate(
	database: Database,
	migrations: readonly Migration[],
	clock: Clock,
	patient: Pick<Database, "write"> = database,
): Promise<void> {
	await database.write([
		{
			run: sql`CREATE TABLE IF NOT EXISTS migrations (
				position integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_ms integer NOT NULL
			) STRICT`,
		},
	]);
	// Another process may apply a migration between the read and the commit; then the next read finds it applied.
	for (let attempt = 0; attempt <= migrations.length; attempt += 1) {
		const applied = await findApplied(database);
		requireKnown(applied, migrations);
		const next = migrations[applied.length];
		if (next === undefined) return;
		try {
			await apply(patient, applied.length, next, clock.now());
		} catch (error) {
			if (!(await isRecorded(database, applied.length))) throw failed(next, error);
		}
	}
}

interface Applied {
	readonly name: string;
	readonly sha256: string;
}

async function findApplied(database: Database): Promise<readonly Applied[]> {
	const rows = await database.read(() =>
		database.queries.values<[string, string]>(sql`SELECT name, sha256 FROM migrations ORDER BY position`),
	);
	return rows.map(([name, sha256]) => ({ name, sha256 }));
}

function requireKnown(applied: readonly Applied[], migrations: readonly Migration[]): void {
	for (const [position, { name, sha256 }] of applied.entries()) {
		const known = migrations[position];
		if (known === undefined) {
			throw new Error(
				`The database has the migration ${name}, which this release does not know: start a newer release.`,
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
	const record = sql`INSERT INTO migrations VALUES (${position}, ${migration.name}, ${migration.sha256}, ${nowMs})`;
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
