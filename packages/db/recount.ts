import type { Drift, Recounter } from "@svc/core/ports";
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { turn } from "./connection.ts";

/** Rows to a read: each read holds up the event loop for as long as it takes. */
const CHUNK = 5_000;

interface Totals {
	images: number;
	bytes: number;
}

export function recounter(database: Database): Recounter {
	return {
		async recount(nowMs) {
			const suspects = await suspectStorages(database);
			const drifts: Drift[] = [];
			for (const pk of suspects) {
				const drift = await correctStorage(database, pk);
				if (drift) drifts.push(drift);
				await turn();
			}
			return [...drifts, ...(await correctApps(database, nowMs))];
		},
	};
}

/** Storages whose counters differ from a count in pieces. What was stored or deleted meanwhile makes a storage suspect, no more. */
async function suspectStorages({ queries, read }: Database): Promise<number[]> {
	const counted = new Map<number, Totals>();
	const [last] = await read(() => queries.values<[number | null]>(sql`SELECT max(pk) FROM images`));
	for (let from = 0; from <= Number(last?.[0] ?? -1); from += CHUNK) {
		const rows = await read(() =>
			queries.values<[number, number, number]>(
				sql`SELECT storage_pk, count(*), sum(bytes) FROM images WHERE pk >= ${from} AND pk < ${from + CHUNK} GROUP BY storage_pk`,
			),
		);
		for (const [pk, images, bytes] of rows) {
			const totals = counted.get(pk) ?? { images: 0, bytes: 0 };
			counted.set(pk, { images: totals.images + images, bytes: totals.bytes + bytes });
		}
		await turn();
	}
	const recorded = await read(() =>
		queries.values<[number, number, number]>(sql`SELECT pk, images, bytes FROM storages`),
	);
	return recorded
		.filter(
			([pk, images, bytes]) => images !== (counted.get(pk)?.images ?? 0) || bytes !== (counted.get(pk)?.bytes ?? 0),
		)
		.map(([pk]) => pk);
}

/** Counts again and corrects in one statement, so that nothing can come between. */
async function correctStorage({ write }: Database, pk: number): Promise<Drift | undefined> {
	const counted = sql`SELECT count(*), coalesce(sum(bytes), 0) FROM images WHERE storage_pk = ${pk}`;
	const correct = sql`UPDATE storages SET (images, bytes) = (${counted})
		WHERE pk = ${pk} AND (images, bytes) IS NOT (${counted}) RETURNING id`;
	return driftsOf(await write([{ run: correct }]))[0];
}

async function correctApps({ write }: Database, nowMs: number): Promise<Drift[]> {
	const counted = sql`SELECT
		(SELECT coalesce(sum(images), 0) FROM storages WHERE storages.app_pk = app_usage.app_pk),
		(SELECT coalesce(sum(bytes), 0) FROM storages WHERE storages.app_pk = app_usage.app_pk),
		(SELECT count(*) FROM connections WHERE connections.app_pk = app_usage.app_pk AND state = 'connected')`;
	const correct = sql`UPDATE app_usage SET (images, bytes, users) = (${counted})
		WHERE (images, bytes, users) IS NOT (${counted}) RETURNING (SELECT id FROM apps WHERE pk = app_pk) AS id`;
	const checked: SQL = sql`UPDATE app_usage SET checked_ms = ${nowMs}`;
	return driftsOf(await write([{ run: correct }, { run: checked }]));
}

function driftsOf({ rows }: { readonly rows: readonly (readonly Readonly<Record<string, unknown>>[])[] }): Drift[] {
	return (rows[0] ?? []).map((row) => ({ id: String(row.id) }));
}
