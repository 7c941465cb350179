import type { Database, Step } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { idempotency, images } from "@svc/base/database/schema/images";
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { type Claim, type KeptCreate, type Lease, RETENTION_MS } from "./idempotency.ts";
import { imageFields, toImage } from "./image-rows-store.ts";
import type { NewImage } from "./images.ts";
import type { IdempotencyStore } from "./ports.ts";

export function idempotencyStore(database: Database): IdempotencyStore {
	const { read, write } = database;
	const finds = prepareFinds(database);

	async function allowed(steps: readonly Step<"fenced">[]): Promise<boolean> {
		const { refused } = await write(steps);
		return refused === undefined;
	}

	return {
		async find(storagePk, keyHash, nowMs) {
			const key = { storagePk, keyHash, nowMs, keptSinceMs: nowMs - RETENTION_MS };
			// The row first: whoever finishes in between is then still seen, by the image.
			const [row] = await read(() => finds.kept.all(key));
			if (row) return { kept: toKept(row), keyedImage: undefined };
			const [found] = await read(() => finds.keyedImage.all(key));
			if (!found?.fingerprint) return { kept: undefined, keyedImage: undefined };
			const { fingerprint, ...image } = found;
			return { kept: undefined, keyedImage: { image: toImage(image), fingerprint } };
		},
		claim: (claim, lease, nowMs) =>
			allowed([
				{ run: sql`DELETE FROM idempotency WHERE ${ofKey(claim)} AND expires_ms <= ${nowMs}` },
				{ run: insertClaim(claim, lease, nowMs), guard: "fenced" },
				{ run: insertBlob(claim, nowMs) },
			]),
		takeOver: (claim, dead, lease, nowMs) =>
			allowed([
				{ run: takeDead(claim, dead, lease, sql`state = 'claimed', recovery = NULL`), guard: "fenced" },
				{ run: insertBlob(claim, nowMs) },
			]),
		async resume(claim, dead, lease, nowMs) {
			const { refused } = await write([
				{ run: takeDead(claim, dead, lease, sql`state = 'stored'`), guard: "fenced" },
				{ run: touchBlob(claim, nowMs), guard: "dead" },
			]);
			return refused;
		},
		async renew(claim, lease, nowMs) {
			await allowed([
				{ run: change(claim, sql`lease_ms = ${lease.untilMs}, expires_ms = ${lease.forgottenMs}`), guard: "fenced" },
				{ run: touchBlob(claim, nowMs) },
			]);
		},
		async keep(claim, image, lease, nowMs) {
			const stored = sql`state = 'stored', recovery = ${toJson(image)},
				lease_ms = ${lease.untilMs}, expires_ms = ${lease.forgottenMs}`;
			await allowed([{ run: change(claim, stored), guard: "fenced" }, { run: touchBlob(claim, nowMs) }]);
		},
		async surrender(claim, nowMs) {
			await allowed([{ run: change(claim, sql`lease_ms = ${nowMs}`) }]);
		},
		release: (claim, nowMs) =>
			allowed([
				{ run: sql`DELETE FROM idempotency WHERE ${ours(claim)}`, guard: "fenced" },
				{
					run: sql`UPDATE blobs SET state = 'dead', since_ms = ${nowMs}
						WHERE blob_key = ${claim.blobKey} AND state = 'pending'`,
				},
			]),
		async forget(nowMs, limit) {
			const { rows } = await write([
				{
					run: sql`DELETE FROM idempotency WHERE (storage_pk, key_hash) IN
						(SELECT storage_pk, key_hash FROM idempotency WHERE expires_ms <= ${nowMs} ORDER BY expires_ms LIMIT ${limit})
						RETURNING 1 AS forgotten`,
				},
			]);
			return rows[0]?.length ?? 0;
		},
	};
}

/**
 * Ends every lease. For the start of a service that owns its database alone: whoever held them is gone, and a caller who tries
 * again need not wait.
 */
export async function endLeases({ write }: Database, nowMs: number): Promise<void> {
	await write([{ run: sql`UPDATE idempotency SET lease_ms = ${nowMs} WHERE state <> 'done' AND lease_ms > ${nowMs}` }]);
}

/** The part of a create's commit that concerns its key: nothing goes on under a nonce that is not the row's own. */
export function claimDoneSteps(claim: Claim, image: NewImage): readonly Step<"fenced">[] {
	const done = sql`state = 'done', recovery = ${toJson(image)}, expires_ms = ${image.createdMs + RETENTION_MS}`;
	return [
		{ run: change(claim, done), guard: "fenced" },
		{
			// A key that is used again after its time must not meet the image that it made before.
			run: sql`UPDATE images SET idempotency_hash = NULL, idempotency_fingerprint = NULL
				WHERE ${carries(claim)} AND NOT ${remembered(image.createdMs)}`,
		},
	];
}

function ofKey({ storagePk, keyHash }: Claim): SQL {
	return sql`storage_pk = ${storagePk} AND key_hash = ${keyHash}`;
}

function ours(claim: Claim): SQL {
	return sql`${ofKey(claim)} AND claim = ${claim.nonce} AND state <> 'done'`;
}

function change(claim: Claim, set: SQL): SQL {
	return sql`UPDATE idempotency SET ${set} WHERE ${ours(claim)}`;
}

/** The very lease that was read: a beat in between keeps the claim with its owner. */
function takeDead(claim: Claim, dead: Pick<KeptCreate, "nonce" | "leaseMs">, lease: Lease, set: SQL): SQL {
	const taken = sql`claim = ${claim.nonce}, lease_ms = ${lease.untilMs}, expires_ms = ${lease.forgottenMs}, ${set}`;
	return sql`${change({ ...claim, nonce: dead.nonce }, taken)} AND lease_ms = ${dead.leaseMs}`;
}

// An image that carries the key is as good as a row: of two creates the second must not claim past the first.
function insertClaim(claim: Claim, lease: Lease, nowMs: number): SQL {
	const { storagePk, keyHash, fingerprint, imageId, nonce } = claim;
	return sql`INSERT INTO idempotency
		(storage_pk, key_hash, fingerprint, image_id, claim, state, lease_ms, created_ms, expires_ms)
		SELECT ${storagePk}, ${keyHash}, ${fingerprint}, ${imageId}, ${nonce}, 'claimed', ${lease.untilMs}, ${nowMs}, ${lease.forgottenMs}
		WHERE NOT EXISTS (SELECT 1 FROM images WHERE ${carries(claim)} AND ${remembered(nowMs)})
		ON CONFLICT DO NOTHING`;
}

function carries({ storagePk, keyHash }: Claim): SQL {
	return sql`storage_pk = ${storagePk} AND idempotency_hash = ${keyHash}`;
}

function remembered(nowMs: number): SQL {
	return sql`(created_ms > ${nowMs - RETENTION_MS} AND (expires_ms IS NULL OR expires_ms > ${nowMs}))`;
}

function insertBlob({ blobKey }: Claim, nowMs: number): SQL {
	return sql`INSERT INTO blobs (blob_key, state, since_ms) VALUES (${blobKey}, 'pending', ${nowMs})`;
}

/** The sweep goes by age: a blob is safe from it for as long as its claim is renewed. */
function touchBlob({ blobKey }: Claim, nowMs: number): SQL {
	return sql`UPDATE blobs SET since_ms = ${nowMs} WHERE blob_key = ${blobKey} AND state = 'pending'`;
}

function prepareFinds({ queries }: Database) {
	const nowMs = sql.placeholder("nowMs");
	const exists = sql<number>`EXISTS (SELECT 1 FROM images AS made
		WHERE made.id = ${idempotency.imageId} AND (made.expires_ms IS NULL OR made.expires_ms > ${nowMs}))`;
	const { fingerprint, imageId, claim, state, leaseMs, recovery } = idempotency;
	return {
		kept: queries
			.select({ fingerprint, imageId, nonce: claim, state, leaseMs, recovery, exists })
			.from(idempotency)
			.where(
				and(
					eq(idempotency.storagePk, sql.placeholder("storagePk")),
					eq(idempotency.keyHash, sql.placeholder("keyHash")),
					gt(idempotency.expiresMs, nowMs),
				),
			)
			.prepare(),
		keyedImage: queries
			.select({ ...imageFields, fingerprint: images.idempotencyFingerprint })
			.from(images)
			.innerJoin(storages, eq(storages.pk, images.storagePk))
			.where(
				and(
					eq(images.storagePk, sql.placeholder("storagePk")),
					eq(images.idempotencyHash, sql.placeholder("keyHash")),
					gt(images.createdMs, sql.placeholder("keptSinceMs")),
					sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${nowMs})`,
				),
			)
			.prepare(),
	};
}

interface KeptRow extends Pick<KeptCreate, "fingerprint" | "imageId" | "nonce" | "leaseMs" | "state"> {
	readonly recovery: string | null;
	readonly exists: number;
}

function toKept({ state, recovery, exists, ...row }: KeptRow): KeptCreate {
	if (state === "claimed" || recovery === null) return { ...row, state: "claimed" };
	const image = fromJson(recovery);
	return state === "stored" ? { ...row, state, image } : { ...row, state, image, exists: exists === 1 };
}

function toJson(image: NewImage): string {
	return JSON.stringify({ ...image, sha256: [...image.sha256] });
}

function fromJson(text: string): NewImage {
	const image = JSON.parse(text) as NewImage & { readonly sha256: readonly number[] };
	return { ...image, sha256: Uint8Array.from(image.sha256) };
}
