import type { Database } from "@svc/base/database/client";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { likenessBands } from "@svc/base/database/schema/moderation";
import { shareTurn } from "@svc/base/pace/turns";
import { type SQL, sql } from "drizzle-orm";
import { likenesses } from "../analysis-store.ts";
import { apart, bandsOf, HASH_BOUND, hashOf, isAlike, likenessOf, nearBands } from "../transform/looks/likeness.ts";

/** Of the pictures whose hashes are near, so many of the nearest are compared, and as many can be alike. */
const COMPARED_MAX = 400;

type Bytes = ArrayBuffer | Uint8Array;

/**
 * The numbers of other images whose pictures are like that of one image of the storage: where it has too little detail for that, those of the same bytes.
 * @param anywhere whether those of all storages are meant
 */
export async function alikeImages(
	database: Database,
	id: string,
	{ storagePk, anywhere = false }: { readonly storagePk: number | undefined; readonly anywhere?: boolean },
): Promise<readonly number[]> {
	const { queries, read } = database;
	const own = storagePk === undefined ? sql`TRUE` : sql`${images.storagePk} = ${storagePk}`;
	const [asked] = await read(() =>
		queries.values<[number, number, Bytes, Bytes | null]>(sql`SELECT ${images.pk}, ${images.storagePk},
			coalesce(${images.sentSha256}, ${images.sha256}), ${GREY} FROM ${images} WHERE ${images.id} = ${id} AND ${own}`),
	);
	if (!asked) return [];
	const [pk, ownStoragePk, sent, kept] = asked;
	const grey = kept && likenesses.decode(new Uint8Array(kept));
	if (!grey) {
		const same = sql`SELECT ${images.pk} FROM ${images} INDEXED BY images_sent WHERE ${images.storagePk} = ${ownStoragePk}
			AND coalesce(${images.sentSha256}, ${images.sha256}) = ${new Uint8Array(sent)} AND ${images.pk} <> ${pk} LIMIT ${COMPARED_MAX}`;
		return (await read(() => queries.values<[number]>(same))).map(([found]) => found);
	}
	const near = (await nearestOf(database, bandsOf(grey), anywhere ? undefined : ownStoragePk)).filter(
		(one) => one !== pk,
	);
	return await compared(database, grey, near);
}

const GREY = sql`(SELECT ${imageAnalyses.value} FROM ${imageAnalyses}
	WHERE ${imageAnalyses.blobKey} = ${images.blobKey} AND ${imageAnalyses.kind} = 'likeness')`;

async function nearestOf(
	{ queries, read }: Database,
	hash: readonly number[],
	storagePk: number | undefined,
): Promise<readonly number[]> {
	const { band, imagePk, rest } = likenessBands;
	const there: SQL = storagePk === undefined ? sql`` : sql` AND ${likenessBands.storagePk} = ${storagePk}`;
	const rows = await read(() =>
		queries.values<[number, number, number]>(sql`SELECT ${imagePk}, ${band}, ${rest}
			FROM json_each(${JSON.stringify(nearBands(hash))}) AS near CROSS JOIN ${likenessBands} ON ${band} = near.value${there}`),
	);
	const found = new Map<number, number>();
	for (const [pk, kept, others] of rows) {
		if (found.has(pk)) continue;
		const distance = apart(hash, hashOf(kept, others));
		if (distance <= HASH_BOUND) found.set(pk, distance);
	}
	const sorted = [...found].sort(([, one], [, other]) => one - other);
	return sorted.slice(0, COMPARED_MAX).map(([pk]) => pk);
}

async function compared(
	{ queries, read }: Database,
	grey: Uint8Array,
	near: readonly number[],
): Promise<readonly number[]> {
	const rows = await read(() =>
		queries.values<[number, Bytes | null]>(sql`SELECT ${images.pk}, ${GREY} FROM ${images}
			WHERE ${images.pk} IN (SELECT value FROM json_each(${JSON.stringify(near)}))`),
	);
	const alike: number[] = [];
	for (const [pk, kept] of rows) {
		// A comparison takes some milliseconds.
		await shareTurn();
		const other = kept && likenesses.decode(new Uint8Array(kept));
		if (other && isAlike(grey, other, likenessOf(grey, other))) alike.push(pk);
	}
	return alike;
}
