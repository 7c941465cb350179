import type { Database } from "@svc/base/database/client";
import { apps, appUsage, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { images } from "@svc/base/database/schema/images";
import { meta } from "@svc/base/database/schema/service";
import { columns } from "@svc/base/database/statements";
import { nextTurn } from "@svc/base/pace/turns";
import { eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

const KEY = "recounted";

/** A storage or an App whose counters did not agree with its rows. */
export interface Drift {
	readonly id: string;
}

export function recounter(database: Database) {
	const { queries, read, write } = database;
	return {
		/** When everything was counted last, by any process; undefined before that. */
		async lastMs(): Promise<number | undefined> {
			const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, KEY)));
			return row && Number(row.value);
		},
		/** Counts every storage and App again and corrects what differs. A drift shows a bug: it is reported, not hidden. */
		async recount(nowMs: number): Promise<readonly Drift[]> {
			const ofStorages = await correctAll(database, await suspectStorages(database), correctStorage);
			// An App's counters are the sums of its corrected storages.
			const ofApps = await correctAll(database, await suspectApps(database), correctApp);
			const counted = { target: meta.key, set: { value: String(nowMs) } };
			await write([
				{ run: queries.update(appUsage).set({ checkedMs: nowMs }) },
				{
					run: queries
						.insert(meta)
						.values({ key: KEY, value: String(nowMs) })
						.onConflictDoUpdate(counted),
				},
			]);
			return [...ofStorages, ...ofApps];
		},
	};
}

/** Rows per read: each read blocks the event loop for as long as it takes. */
const CHUNK = 5_000;

/** The counters of one storage or App; those that do not apply stay 0. */
interface Totals {
	readonly images: number;
	readonly bytes: number;
	readonly users: number;
}

const NOTHING: Totals = { images: 0, bytes: 0, users: 0 };

async function correctAll(
	{ write }: Database,
	suspects: readonly number[],
	correct: (pk: number) => SQL,
): Promise<readonly Drift[]> {
	const drifts: Drift[] = [];
	for (const pk of suspects) {
		const { rows } = await write([{ run: correct(pk) }]);
		for (const { id } of rows?.[0] ?? []) drifts.push({ id: String(id) });
		await nextTurn();
	}
	return drifts;
}

/** Storages whose counters differ from a count in chunks. An image stored or deleted meanwhile only makes a storage suspect. */
async function suspectStorages(database: Database): Promise<readonly number[]> {
	const counted = await sumUp(database, images.pk, (piece) => {
		return sql`SELECT ${images.storagePk}, count(*), sum(${images.bytes}), 0
			FROM ${images} WHERE ${piece} GROUP BY ${images.storagePk}`;
	});
	const recorded = await sumUp(database, storages.pk, (piece) => {
		return sql`SELECT ${columns(storages.pk, storages.images, storages.bytes)}, 0 FROM ${storages} WHERE ${piece}`;
	});
	return differing(recorded, counted);
}

async function suspectApps(database: Database): Promise<readonly number[]> {
	const counted = await sumUp(database, storages.pk, (piece) => {
		return sql`SELECT ${storages.appPk}, sum(${storages.images}), sum(${storages.bytes}), 0
			FROM ${storages} WHERE ${piece} GROUP BY ${storages.appPk}`;
	});
	await sumUp(
		database,
		connections.pk,
		(piece) =>
			sql`SELECT ${connections.appPk}, 0, 0, count(*)
				FROM ${connections} WHERE ${piece} AND ${connections.state} = 'connected' GROUP BY ${connections.appPk}`,
		counted,
	);
	const recorded = await sumUp(database, appUsage.appPk, (piece) => {
		return sql`SELECT ${columns(appUsage.appPk, appUsage.images, appUsage.bytes, appUsage.users)}
			FROM ${appUsage} WHERE ${piece}`;
	});
	return differing(recorded, counted);
}

/** Totals by the first column of each row, read in chunks of the key's table and added to the totals so far. */
async function sumUp(
	{ queries, read }: Database,
	key: SQLiteColumn,
	rowsOf: (piece: SQL) => SQL,
	totals = new Map<number, Totals>(),
): Promise<Map<number, Totals>> {
	const [last] = await read(() => queries.values<[number | null]>(sql`SELECT max(${key}) FROM ${key.table}`));
	for (let from = 0; from <= Number(last?.[0] ?? -1); from += CHUNK) {
		const piece = sql`${key} >= ${from} AND ${key} < ${from + CHUNK}`;
		const rows = await read(() => queries.values<[number, number, number, number]>(rowsOf(piece)));
		for (const [pk, images, bytes, users] of rows) {
			const sum = totals.get(pk) ?? NOTHING;
			totals.set(pk, { images: sum.images + images, bytes: sum.bytes + bytes, users: sum.users + users });
		}
		await nextTurn();
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

/** Counts again and corrects in one statement, so that no change can come between. */
function correctStorage(pk: number): SQL {
	const counters = columns(storages.images, storages.bytes);
	const counted = sql`SELECT count(*), coalesce(sum(${images.bytes}), 0) FROM ${images} WHERE ${images.storagePk} = ${pk}`;
	return sql`UPDATE ${storages} SET (${counters}) = (${counted})
		WHERE ${storages.pk} = ${pk} AND (${counters}) IS NOT (${counted}) RETURNING ${storages.id} AS id`;
}

function correctApp(pk: number): SQL {
	const counters = columns(appUsage.images, appUsage.bytes, appUsage.users);
	const users = sql`SELECT count(*) FROM ${connections} WHERE ${connections.appPk} = ${pk} AND ${connections.state} = 'connected'`;
	const counted = sql`SELECT coalesce(sum(${storages.images}), 0), coalesce(sum(${storages.bytes}), 0), (${users})
		FROM ${storages} WHERE ${storages.appPk} = ${pk}`;
	return sql`UPDATE ${appUsage} SET (${counters}) = (${counted})
		WHERE ${appUsage.appPk} = ${pk} AND (${counters}) IS NOT (${counted})
		RETURNING (SELECT ${apps.id} FROM ${apps} WHERE ${apps.pk} = ${appUsage.appPk}) AS id`;
}
