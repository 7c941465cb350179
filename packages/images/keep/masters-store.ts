import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { damagedBlobs, images } from "@svc/base/database/schema/images";
import { column, columns } from "@svc/base/database/statements";
import { DAMAGE_KINDS, type DamageKind } from "@svc/base/enumerations";
import { count, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Damage, MasterRecord } from "./master-damage.ts";

export type MasterStore = ReturnType<typeof masterStore>;

const recordFields = {
	pk: images.pk,
	imageId: images.id,
	appId: apps.id,
	blobKey: images.blobKey,
	bytes: images.bytes,
	sha256: sql<string>`lower(hex(${images.sha256}))`,
	format: images.format,
	width: images.width,
	height: images.height,
	createdMs: images.createdMs,
	isConverted: sql`${images.sentSha256} IS NOT NULL`.mapWith(Boolean),
	known: damagedBlobs.kind,
};

export function masterStore(database: Database) {
	const { queries, read, write } = database;
	const select = () =>
		queries
			.select(recordFields)
			.from(images)
			.innerJoin(apps, eq(apps.pk, images.appPk))
			.leftJoin(damagedBlobs, eq(damagedBlobs.blobKey, images.blobKey));
	// Asked for each rendition that is made.
	const ofBlob = select()
		.where(eq(images.blobKey, sql.placeholder("blobKey")))
		.prepare();
	return {
		/** Undefined where no image has this blob. */
		async find(blobKey: string): Promise<MasterRecord | undefined> {
			const [record] = await read(() => ofBlob.all({ blobKey }));
			return record;
		},
		/** The masters of all images in whatever state, in the order of their numbers. */
		list(afterPk: number, limit: number): Promise<readonly MasterRecord[]> {
			return read(() => select().where(gt(images.pk, afterPk)).orderBy(images.pk).limit(limit));
		},
		/** The number of the newest image; 0 where there is none. */
		async lastPk(): Promise<number> {
			const [row] = await read(() => queries.values<[number | null]>(sql`SELECT max(${images.pk}) FROM ${images}`));
			return Number(row?.[0] ?? 0);
		},
		/** False where no image has this blob any more: then nothing is wrong. */
		async saveDamage(blobKey: string, { kind, found }: Damage, nowMs: number): Promise<boolean> {
			const { refused } = await write([
				{ run: insertDamage(blobKey, kind, found?.bytes ?? null, nowMs), guard: "gone" },
			]);
			return refused === undefined;
		},
		async forgetDamage(blobKey: string): Promise<void> {
			await write([{ run: queries.delete(damagedBlobs).where(eq(damagedBlobs.blobKey, blobKey)) }]);
		},
		/** How many masters are damaged in which way, as far as it is known. */
		async countDamage(): Promise<Readonly<Record<DamageKind, number>>> {
			const rows = await read(() =>
				queries
					.select({ kind: damagedBlobs.kind, masters: count() })
					.from(damagedBlobs)
					.innerJoin(images, eq(images.blobKey, damagedBlobs.blobKey))
					.groupBy(damagedBlobs.kind),
			);
			const counted = new Map(rows.map(({ kind, masters }) => [kind, masters]));
			return Object.fromEntries(DAMAGE_KINDS.map((kind) => [kind, counted.get(kind) ?? 0])) as Record<
				DamageKind,
				number
			>;
		},
	};
}

function insertDamage(blobKey: string, kind: DamageKind, bytes: number | null, nowMs: number): SQL {
	const { foundBytes, foundMs } = damagedBlobs;
	return sql`INSERT INTO ${damagedBlobs} (${columns(damagedBlobs.blobKey, damagedBlobs.kind, foundBytes, foundMs)})
		SELECT ${images.blobKey}, ${kind}, ${bytes}, ${nowMs} FROM ${images} WHERE ${images.blobKey} = ${blobKey}
		ON CONFLICT (${column(damagedBlobs.blobKey)})
		DO UPDATE SET ${column(damagedBlobs.kind)} = ${kind}, ${column(foundBytes)} = ${bytes}`;
}
