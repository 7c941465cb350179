import { eq, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { meta } from "./schema/service.ts";
import { statements } from "./statements.ts";

const INSTALLATION = "installation";

/** What a database says of itself before its first migration of this release. */
export interface DatabaseMark {
	/** False for a database without a single table of ours. */
	readonly isMade: boolean;
	/** Undefined before the first start of a release that knows installations. */
	readonly installation: string | undefined;
}

/** Works on a database of any release, and on an empty one. */
export async function readDatabaseMark({ queries, read }: Database): Promise<DatabaseMark> {
	const tables = await read(() =>
		queries.values(sql`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'`),
	);
	if (tables.length === 0) return { isMade: false, installation: undefined };
	const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, INSTALLATION)));
	return { isMade: true, installation: row?.value };
}

/** Writes the id of the installation, once; returns the one that stands there. */
export async function claimInstallation(database: Database, fresh: string): Promise<string> {
	const { write } = database;
	await write([{ run: statements.insert(meta).values({ key: INSTALLATION, value: fresh }).onConflictDoNothing() }]);
	const { installation } = await readDatabaseMark(database);
	if (installation === undefined) throw new Error("The id of the installation could not be read back.");
	return installation;
}

export interface DatabaseHealth {
	/** Reads, and commits a real write; throws when either fails. */
	probe(): Promise<void>;
	/** What an operator should do about a probe that failed, where that is known. */
	advice?(): Readonly<Record<string, string>>;
}

const STALLED =
	"The libSQL server has stopped writing. It may answer reads still: start it anew, and give it --checkpoint-interval-s.";

export function databaseHealth({ queries, read, write, stalledMs }: Database): DatabaseHealth {
	return {
		async probe() {
			// A commit is needed: on a full or read-only disk a transaction can begin, and even roll back, without an error.
			await write([{ run: countProbe(), guard: "unwritten" }]);
			await read(() => queries.values(sql`SELECT 1`));
		},
		advice: () => (stalledMs() > 0 ? { advice: STALLED } : {}),
	};
}

/** Whether a libSQL server moves its log into the file within the changes of whoever writes; false where it does not say. */
export async function movesLogInChanges({ rows }: Pick<Database, "rows">): Promise<boolean> {
	const [row] = await rows("PRAGMA wal_autocheckpoint", []).catch(() => []);
	return Number(row?.[0] ?? 0) > 0;
}

function countProbe() {
	const known = { target: meta.key, set: { value: sql`CAST(${meta.value} + 1 AS TEXT)` } };
	return statements.insert(meta).values({ key: "probe", value: "1" }).onConflictDoUpdate(known);
}
