import type { Database } from "@svc/base/database/client";
import { turn } from "@svc/base/database/connection";
import { type SQL, sql } from "drizzle-orm";

/** A storage or an App whose counters did not agree with its rows. */
export interface Drift {
	readonly id: string;
}

export interface Recounter {
	/** Counts every storage and App again and corrects what differs. A drift is a bug somewhere: it is told, not hidden. */
	recount(nowMs: number): Promise<readonly Drift[]>;
}

/** Rows to a read: each read holds up the event loop for as long as it takes. */
const CHUNK = 5_000;

/** What is counted of one storage or App; what does not apply stays 0. */
interface Totals {
	readonly images: number;
	readonly bytes: number;
	readonly users: number;
}

const NOTHING: Totals = { images: 0, bytes: 0, users: 0 };

export function recounter(database: Database): Recounter {
	return {
		async recount(nowMs) {
			const storages = await correctAll(database, await suspectStorages(database), correctStorage);
			// Theirs are the sums of what their storages have been corrected to.
			const apps = await correctAll(database, await suspectApps(database), correctApp);
			await database.write([{ run: sql`UPDATE app_usage SET checked_ms = ${nowMs}` }]);
			return [...storages, ...apps];
		},
	};
}

async function correctAll(
	{ write }: Database,
	suspects: readonly number[],
	correct: (pk: number) => SQL,
): Promise<readonly Drift[]> {
	const drifts: Drift[] = [];
	for (const pk of suspects) {
		const { rows } = await write([{ run: correct(pk) }]);
		for (const { id } of rows[0] ?? []) drifts.push({ id: String(id) });
		await turn();
	}
	return drifts;
}

/** Storages whose counters differ from a count in pieces. What was stored or deleted meanwhile makes a storage suspect, no more. */
async function suspectStorages(database: Database): Promise<readonly number[]> {
	const counted = await sumUp(database, "images", (piece) => {
		return sql`SELECT storage_pk, count(*), sum(bytes), 0 FROM images WHERE ${piece} GROUP BY storage_pk`;
	});
	const recorded = await sumUp(database, "storages", (piece) => {
		return sql`SELECT pk, images, bytes, 0 FROM storages WHERE ${piece}`;
	});
	return differing(recorded, counted);
}

async function suspectApps(database: Database): Promise<readonly number[]> {
	const counted = await sumUp(database, "storages", (piece) => {
		return sql`SELECT app_pk, sum(images), sum(bytes), 0 FROM storages WHERE ${piece} GROUP BY app_pk`;
	});
	await sumUp(
		database,
		"connections",
		(piece) =>
			sql`SELECT app_pk, 0, 0, count(*) FROM connections WHERE ${piece} AND state = 'connected' GROUP BY app_pk`,
		counted,
	);
	const recorded = await sumUp(database, "app_usage", (piece) => {
		return sql`SELECT app_pk, images, bytes, users FROM app_usage WHERE ${piece}`;
	});
	return differing(recorded, counted);
}

/** Totals by what the first column of each row names, read a piece of the table at a time and added to what is there. */
async function sumUp(
	{ queries, read }: Database,
	table: "images" | "storages" | "connections" | "app_usage",
	rowsOf: (piece: SQL) => SQL,
	totals = new Map<number, Totals>(),
): Promise<Map<number, Totals>> {
	// `rowid` is another name for the key of each of these tables.
	const [last] = await read(() =>
		queries.values<[number | null]>(sql`SELECT max(rowid) FROM ${sql.identifier(table)}`),
	);
	for (let from = 0; from <= Number(last?.[0] ?? -1); from += CHUNK) {
		const piece = sql`rowid >= ${from} AND rowid < ${from + CHUNK}`;
		const rows = await read(() => queries.values<[number, number, number, number]>(rowsOf(piece)));
		for (const [pk, images, bytes, users] of rows) {
			const sum = totals.get(pk) ?? NOTHING;
			totals.set(pk, { images: sum.images + images, bytes: sum.bytes + bytes, users: sum.users + users });
		}
		await turn();
	}
	return totals;
}

function differing(recorded: ReadonlyMap<number, Totals>, counted: ReadonlyMap<number, Totals>): readonly number[] {
	return [...recorded]
		.filter(([pk, { images, bytes, users }]) => {
			const right = counted.get(pk) ?? NOTHING;
			return images !== right.images || bytes !== right.bytes || users !== right.users;
		})
		.map(([pk]) => pk);
}

/** Counts again and corrects in one statement, so that nothing can come between. */
function correctStorage(pk: number): SQL {
	const counted = sql`SELECT count(*), coalesce(sum(bytes), 0) FROM images WHERE storage_pk = ${pk}`;
	return sql`UPDATE storages SET (images, bytes) = (${counted})
		WHERE pk = ${pk} AND (images, bytes) IS NOT (${counted}) RETURNING id`;
}

function correctApp(pk: number): SQL {
	const counted = sql`SELECT coalesce(sum(images), 0), coalesce(sum(bytes), 0),
		(SELECT count(*) FROM connections WHERE app_pk = ${pk} AND state = 'connected') FROM storages WHERE app_pk = ${pk}`;
	return sql`UPDATE app_usage SET (images, bytes, users) = (${counted})
		WHERE app_pk = ${pk} AND (images, bytes, users) IS NOT (${counted}) RETURNING (SELECT id FROM apps WHERE pk = app_pk) AS id`;
}
