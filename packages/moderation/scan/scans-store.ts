import type { Database } from "@svc/base/database/client";
import { apps, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { scans, scanVerdicts } from "@svc/base/database/schema/moderation";
import { meta } from "@svc/base/database/schema/service";
import { statements, updateStep } from "@svc/base/database/statements";
import { imageFields, toImage, unexpired } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import { and, asc, eq, gt, inArray, isNull, lte, notInArray, sql } from "drizzle-orm";
import type { ScanVerdict } from "./judge.ts";

/** An image whose picture waits to be judged. */
export interface WaitingScan {
	readonly pk: number;
	readonly imageId: string;
	readonly tries: number;
	/** When what holds without a judge was done; null while it was not. */
	readonly heldMs: number | null;
}

/** A picture as it is judged. */
export interface ScannedPicture {
	readonly image: Image;
	readonly appId: string;
	/** SHA-256 of the bytes as they were sent or fetched. */
	readonly sha256: Uint8Array;
}

/** What triggers look for before they write an image into the queue (drizzle/…_scans.sql). */
const TURNED_ON = "scan";

/** The queue of new pictures, and what was said of each picture. Rows come by triggers on `images`, in the commit that makes or changes an image. */
export function scanStore(database: Database) {
	const { queries, read, write } = database;
	const { pk, imageId, tries, heldMs, dueMs } = scans;
	const waiting = () => queries.select({ pk, imageId, tries, heldMs }).from(scans);
	return {
		/** Whether new images are written into the queue. What waits when it ends is forgotten. */
		async turn(on: boolean): Promise<void> {
			const key = eq(meta.key, TURNED_ON);
			if (on)
				await write([{ run: statements.insert(meta).values({ key: TURNED_ON, value: "on" }).onConflictDoNothing() }]);
			else await write([{ run: statements.delete(meta).where(key) }, { run: statements.delete(scans) }]);
		},
		/** What waits longest first, without these. */
		async listDue(nowMs: number, without: readonly number[], limit: number): Promise<readonly WaitingScan[]> {
			const due = and(lte(dueMs, nowMs), notInArray(pk, [...without]));
			return await read(() => waiting().where(due).orderBy(asc(dueMs), asc(pk)).limit(limit));
		},
		async listUnheld(limit: number): Promise<readonly WaitingScan[]> {
			return await read(() => waiting().where(isNull(heldMs)).orderBy(asc(pk)).limit(limit));
		},
		/** Undefined for an image that nobody can see: what is not there, is blocked, or has expired needs no judge. */
		async findPicture(id: string, nowMs: number): Promise<ScannedPicture | undefined> {
			const seen = and(
				eq(images.id, id),
				eq(images.status, "ready"),
				eq(storages.state, "active"),
				unexpired(images, nowMs),
			);
			const [row] = await read(() =>
				queries
					.select({ ...imageFields, appId: apps.id, sha256: images.sha256, sentSha256: images.sentSha256 })
					.from(images)
					.innerJoin(storages, eq(storages.pk, images.storagePk))
					.innerJoin(apps, eq(apps.pk, images.appPk))
					.where(seen),
			);
			if (!row) return undefined;
			const { appId, sha256, sentSha256, ...image } = row;
			return { image: toImage(image), appId, sha256: sentSha256 ?? sha256 };
		},
		/** What was said of a picture with this digest. */
		async findVerdict(sha256: Uint8Array): Promise<ScanVerdict | undefined> {
			const { verdict, reason } = scanVerdicts;
			const said = queries.select({ verdict, reason }).from(scanVerdicts);
			return (await read(() => said.where(eq(scanVerdicts.sha256, Buffer.from(sha256)))))[0];
		},
		async keepVerdict(sha256: Uint8Array, said: ScanVerdict, judgedMs: number): Promise<void> {
			const row = statements.insert(scanVerdicts).values({ sha256: Buffer.from(sha256), ...said, judgedMs });
			await write([{ run: row.onConflictDoNothing() }]);
		},
		async putOff({ pk: one }: WaitingScan, tries: number, dueMs: number): Promise<void> {
			await write([updateStep(scans, { tries, dueMs }, eq(pk, one))]);
		},
		/** All that were put off for long are due. */
		async wake(nowMs: number): Promise<void> {
			await write([updateStep(scans, { dueMs: nowMs }, gt(dueMs, nowMs))]);
		},
		async hold({ pk: one }: WaitingScan, nowMs: number): Promise<void> {
			await write([updateStep(scans, { heldMs: nowMs }, eq(pk, one))]);
		},
		/** An image that was changed meanwhile waits under another number. */
		async settle(pks: readonly number[]): Promise<void> {
			await write([{ run: statements.delete(scans).where(inArray(pk, [...pks])) }]);
		},
		async forget(beforeMs: number, limit: number): Promise<void> {
			const old = sql`SELECT ${scanVerdicts.sha256} FROM ${scanVerdicts} WHERE ${scanVerdicts.judgedMs} < ${beforeMs} LIMIT ${limit}`;
			await write([{ run: statements.delete(scanVerdicts).where(sql`${scanVerdicts.sha256} IN (${old})`) }]);
		},
	};
}
