import type { Database } from "@svc/base/database/client";
import { blobs, damagedBlobs, deletedImages } from "@svc/base/database/schema/images";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { column, columns, statements } from "@svc/base/database/statements";
import { keptStatement } from "@svc/base/database/write/kept-statements";
import { and, eq, lt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/*
 * A blob is pending while its bytes are written, live while an image refers to it, and dead once none ever will again. The sweep takes
 * the dead ones, and the pending ones that have grown old.
 */

/** Belongs into a commit before the bytes are written, so that a crash leaves nothing that the sweep cannot find. */
export function insertBlob(blobKey: string, sinceMs: number): SQLWrapper {
	return insertPending({ blobKey, sinceMs });
}

const insertPending = keptStatement<{ readonly blobKey: string; readonly sinceMs: number }>((at) =>
	statements.insert(blobs).values({ ...at, state: "pending" }),
);

/** Touches no row once the sweep has marked the blob dead: its bytes may be gone from the disk already. */
export function movePendingBlob(blobKey: string, to: "pending" | "live" | "dead", nowMs: number): SQLWrapper {
	return movePending({ blobKey, nowMs }, to);
}

const movePending = keptStatement<
	{ readonly blobKey: string; readonly nowMs: number },
	[to: "pending" | "live" | "dead"]
>((at, to) =>
	statements
		.update(blobs)
		// What was long on its way does not make a blob older than it is known to be.
		.set({ state: to, sinceMs: sql`max(${blobs.sinceMs}, ${at.nowMs})` })
		.where(and(eq(blobs.blobKey, at.blobKey), eq(blobs.state, "pending"))),
);

/** @returns keys in the order in which they entered their state. Empty while a backup is made, however long it takes. */
export async function listRemovable(
	{ queries, read }: Database,
	pendingBeforeMs: number,
	deadBeforeMs: number,
	limit: number,
): Promise<readonly string[]> {
	const fields = columns(blobs.blobKey, blobs.sinceMs);
	// The backup's snapshot names blobs that must stay, wherever the clock is moved meanwhile. States are literals: each has an index.
	const rows = await read(() =>
		queries.values<[string]>(sql`SELECT ${fields} FROM (
			SELECT ${fields} FROM ${blobs} INDEXED BY blobs_pending WHERE ${blobs.state} = 'pending' AND ${blobs.sinceMs} < ${pendingBeforeMs}
			UNION ALL SELECT ${fields} FROM ${blobs} INDEXED BY blobs_dead WHERE ${blobs.state} = 'dead' AND ${blobs.sinceMs} < ${deadBeforeMs}
			ORDER BY ${column(blobs.sinceMs)} LIMIT ${limit})
			WHERE NOT EXISTS (SELECT 1 FROM ${jobs} WHERE ${jobs.state} = 'running' AND ${jobs.kind} = 'backup.make')`),
	);
	return rows.map(([blobKey]) => blobKey);
}

export async function markBlobDead(
	{ queries, write }: Database,
	blobKey: string,
	nowMs: number,
	beforeMs = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
	// A blob that is dead already keeps its age, so that a second sweep does not restart its grace.
	const set = { sinceMs: sql`iif(${blobs.state} = 'dead', ${blobs.sinceMs}, ${nowMs})`, state: "dead" } as const;
	const unneeded = and(eq(blobs.blobKey, blobKey), ne(blobs.state, "live"), lt(blobs.sinceMs, beforeMs));
	const markDead = queries.update(blobs).set(set).where(unneeded);
	// Its image cannot be restored from then on: the bytes may go at any moment.
	const forget = queries.delete(deletedImages).where(eq(deletedImages.blobKey, blobKey));
	const { refused } = await write([{ run: markDead, guard: "live" }, { run: forget }]);
	return refused === undefined;
}

export async function forgetBlob({ queries, write }: Database, blobKey: string): Promise<void> {
	await write([
		{ run: queries.delete(blobs).where(and(eq(blobs.blobKey, blobKey), eq(blobs.state, "dead"))) },
		{ run: queries.delete(damagedBlobs).where(eq(damagedBlobs.blobKey, blobKey)) },
	]);
}

/** Whether there is any image whose bytes the store should hold. */
export async function hasLiveBlobs({ queries, read }: Database): Promise<boolean> {
	const { blobKey } = blobs;
	const rows = await read(() => queries.select({ blobKey }).from(blobs).where(eq(blobs.state, "live")).limit(1));
	return rows.length > 0;
}

/** Returns the keys that no row names, in any state. */
export async function listUnknownBlobs(
	{ queries, read }: Database,
	blobKeys: readonly string[],
): Promise<readonly string[]> {
	const rows = await read(() =>
		queries.values<[string]>(sql`SELECT value FROM json_each(${JSON.stringify(blobKeys)})
			WHERE NOT EXISTS (SELECT 1 FROM ${blobs} WHERE ${blobs.blobKey} = value)`),
	);
	return rows.map(([blobKey]) => blobKey);
}

/** Marks blobs of any state dead: the rows that referred to them go in the same commit. */
export function markBlobsDead(blobKeys: SQL, nowMs: number | SQLWrapper): SQL {
	return sql`UPDATE ${blobs} SET ${column(blobs.state)} = 'dead', ${column(blobs.sinceMs)} = ${nowMs}
		WHERE ${blobs.blobKey} IN ${blobKeys}`;
}
