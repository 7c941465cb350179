import type { Database } from "@svc/base/database/client";
import { lives } from "@svc/base/database/lives";
import { lookUpOf } from "@svc/base/database/remote/shared-reads";
import { storages } from "@svc/base/database/schema/apps";
import { idempotency, images } from "@svc/base/database/schema/images";
import { columns } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import { and, asc, eq, exists, fillPlaceholders, gt, inArray, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { imageKept } from "../image-events-store.ts";
import { imageFields, toImage, unexpired } from "../image-rows-store.ts";
import type { NewImage } from "../images.ts";
import { insertBlob, movePendingBlob } from "../keep/blobs-store.ts";
import type { IdempotencyStore } from "../ports.ts";
import { type Claim, type KeptCreate, type Lease, RETENTION_MS, type Remembered } from "./idempotency.ts";

/** @param process the id of this process: what it claims counts as long as it lives */
export function idempotencyStore(database: Database, process: string): IdempotencyStore {
	const finds = prepareFinds(database);
	const { queries, write } = database;

	/** Who slept past the grace of its blob finds it swept, and holds the key no longer. */
	async function hold(claim: Claim, set: Parameters<typeof change>[2], nowMs: number): Promise<void> {
		await allowed(database, [
			{ run: change(database, claim, set), guard: "fenced" },
			{ run: touchBlob(claim, nowMs), guard: "fenced" },
		]);
	}

	return {
		find: (storagePk, keyHash, nowMs) => findKey(database, finds, { storagePk, keyHash, nowMs }),
		claim: (claim, lease, nowMs) =>
			allowed(database, [
				{ run: deleteForgotten(database, claim, nowMs) },
				{ run: insertClaim(claim, lease, nowMs, process), guard: "fenced" },
				{ run: insertBlob(claim.blobKey, nowMs) },
			]),
		takeOver: (claim, dead, lease, nowMs) =>
			allowed(database, [
				{ run: takeDead(database, claim, dead, lease, { state: "claimed", recovery: null, process }), guard: "fenced" },
				{ run: insertBlob(claim.blobKey, nowMs) },
			]),
		async resume(claim, dead, lease, nowMs) {
			const { refused } = await write([
				{ run: takeDead(database, claim, dead, lease, { state: "stored", process }), guard: "fenced" },
				{ run: touchBlob(claim, nowMs), guard: "dead" },
			]);
			return refused;
		},
		async renew(claim, lease, nowMs) {
			await hold(claim, laterOf(lease), nowMs);
		},
		async keep(claim, image, lease, nowMs) {
			await hold(claim, { ...laterOf(lease), state: "stored", recovery: toJson(image) }, nowMs);
		},
		async surrender(claim, nowMs) {
			await write([{ run: change(database, claim, { leaseMs: nowMs }) }]);
		},
		release: (claim, nowMs) =>
			allowed(database, [
				{ run: queries.delete(idempotency).where(ours(claim)), guard: "fenced" },
				{ run: movePendingBlob(claim.blobKey, "dead", nowMs) },
			]),
		forget: (nowMs, limit) => forgetKeys(database, nowMs, limit),
	};
}

/**
 * Ends every lease. For the start of a service that owns its database alone: their holders are gone, and a caller who tries
 * again need not wait.
 */
export async function endLeases({ queries, write }: Database, nowMs: number): Promise<void> {
	const running = and(ne(idempotency.state, "done"), gt(idempotency.leaseMs, nowMs));
	await write([{ run: queries.update(idempotency).set({ leaseMs: nowMs }).where(running) }]);
}

/** The part of a create's commit that concerns its key: every write requires the row's own nonce. */
export function claimDoneSteps(database: Database, claim: Claim, image: NewImage): readonly Step<"fenced">[] {
	const expiresMs = image.createdMs + RETENTION_MS;
	const forgotten = and(carries(claim), sql`NOT ${remembered(image.createdMs)}`);
	return [
		{ run: change(database, claim, { state: "done", recovery: toJson(image), expiresMs }), guard: "fenced" },
		// A key that is used again after its time must not meet the image that it made before.
		{ run: database.queries.update(images).set(NO_KEY).where(forgotten) },
	];
}

const NO_KEY = { idempotencyHash: null, idempotencyFingerprint: null };

async function allowed({ write }: Database, steps: readonly Step<"fenced">[]): Promise<boolean> {
	const { refused } = await write(steps);
	return refused === undefined;
}

async function findKey(
	{ kind, read }: Database,
	finds: ReturnType<typeof prepareFinds>,
	{ storagePk, keyHash, nowMs }: Pick<Claim, "storagePk"> & { readonly keyHash: Uint8Array; readonly nowMs: number },
): Promise<Remembered> {
	const key = { storagePk, keyHash, nowMs, keptSinceMs: nowMs - RETENTION_MS };
	// Most keys are new, and over a network many are asked for at once whether they are.
	if (kind === "remote" && !(await finds.isKnown(key))) return { kept: undefined, keyedImage: undefined };
	// The row is read first: a request that finishes in between is then still seen, by the image.
	const keptRow = read(() => finds.kept.all(key));
	// Over a network both are asked for in one request, in this order.
	const ahead = kind === "remote" ? read(() => finds.keyedImage.all(key)) : undefined;
	ahead?.catch(() => undefined);
	const [row] = await keptRow;
	if (row) return { kept: toKept(row), keyedImage: undefined };
	const [found] = await (ahead ?? read(() => finds.keyedImage.all(key)));
	if (!found?.fingerprint) return { kept: undefined, keyedImage: undefined };
	const { fingerprint, ...image } = found;
	return { kept: undefined, keyedImage: { image: toImage(image), fingerprint } };
}

async function forgetKeys({ queries, write }: Database, nowMs: number, limit: number): Promise<number> {
	const { storagePk, keyHash, expiresMs } = idempotency;
	const [over, soonest] = [lte(expiresMs, nowMs), asc(expiresMs)];
	const forgotten = queries.select({ storagePk, keyHash }).from(idempotency).where(over).orderBy(soonest).limit(limit);
	const its = inArray(sql`(${storagePk}, ${keyHash})`, forgotten);
	const { rows } = await write([{ run: queries.delete(idempotency).where(its).returning({ storagePk }) }]);
	return rows?.[0]?.length ?? 0;
}

function ofKey({ storagePk, keyHash }: Claim) {
	return and(eq(idempotency.storagePk, storagePk), eq(idempotency.keyHash, keyHash));
}

function ours(claim: Claim) {
	return and(ofKey(claim), eq(idempotency.claim, claim.nonce), ne(idempotency.state, "done"));
}

function change({ queries }: Database, claim: Claim, set: SQLiteUpdateSetSource<typeof idempotency>, unmoved?: SQL) {
	const its = and(ours(claim), unmoved);
	return queries.update(idempotency).set(set).where(its);
}

function leased({ untilMs, forgottenMs }: Lease) {
	return { leaseMs: untilMs, expiresMs: forgottenMs };
}

/** A renewal that was long on its way must not take back what a newer one gave. */
function laterOf({ untilMs, forgottenMs }: Lease) {
	return {
		leaseMs: sql`max(${idempotency.leaseMs}, ${untilMs})`,
		expiresMs: sql`max(${idempotency.expiresMs}, ${forgottenMs})`,
	};
}

/** Requires the very lease that was read: a renewal in between keeps the claim with its owner. */
function takeDead(
	database: Database,
	claim: Claim,
	dead: Pick<KeptCreate, "nonce" | "leaseMs">,
	lease: Lease,
	set: Pick<typeof idempotency.$inferInsert, "state" | "recovery" | "process">,
) {
	const taken = { ...set, ...leased(lease), claim: claim.nonce, fingerprint: claim.fingerprint };
	return change(database, { ...claim, nonce: dead.nonce }, taken, eq(idempotency.leaseMs, dead.leaseMs));
}

function deleteForgotten({ queries }: Database, claim: Claim, nowMs: number) {
	return queries.delete(idempotency).where(and(ofKey(claim), lte(idempotency.expiresMs, nowMs)));
}

// An image that carries the key is as good as a row: of two creates the second must not claim past the first.
function insertClaim(claim: Claim, lease: Lease, nowMs: number, process: string): SQL {
	const { storagePk, keyHash, fingerprint, imageId, claim: nonce, state, leaseMs, createdMs, expiresMs } = idempotency;
	const times = [leaseMs, createdMs, expiresMs];
	const names = columns(storagePk, keyHash, fingerprint, imageId, nonce, state, ...times, idempotency.process);
	return sql`INSERT INTO ${idempotency} (${names})
		SELECT ${claim.storagePk}, ${claim.keyHash}, ${claim.fingerprint}, ${claim.imageId}, ${claim.nonce}, 'claimed',
			${lease.untilMs}, ${nowMs}, ${lease.forgottenMs}, ${process}
		WHERE NOT EXISTS (SELECT 1 FROM ${images} WHERE ${carries(claim)} AND ${remembered(nowMs)})
		ON CONFLICT DO NOTHING`;
}

function carries({ storagePk, keyHash }: Claim) {
	return and(eq(images.storagePk, storagePk), eq(images.idempotencyHash, keyHash));
}

function remembered(nowMs: number): SQL {
	return sql`(${images.createdMs} > ${nowMs - RETENTION_MS} AND ${unexpired(images, nowMs)})`;
}

/** The sweep goes by age: a blob is safe from it while its claim is renewed. */
function touchBlob({ blobKey }: Claim, nowMs: number) {
	return movePendingBlob(blobKey, "pending", nowMs);
}

/** Whether there is a row or an image of a key, in one look-up without bytes, so that several can be asked for together. */
function keyKnown({ queries, rows }: Database) {
	const storagePk = sql.placeholder("storagePk");
	const nowMs = sql.placeholder("nowMs");
	const hash = sql`unhex(${sql.placeholder("keyHex")})`;
	const named = and(eq(idempotency.storagePk, storagePk), eq(idempotency.keyHash, hash));
	const row = queries
		.select({ pk: idempotency.storagePk })
		.from(idempotency)
		.where(and(named, gt(idempotency.expiresMs, nowMs)));
	const carrying = and(eq(images.storagePk, storagePk), eq(images.idempotencyHash, hash));
	const since = gt(images.createdMs, sql.placeholder("keptSinceMs"));
	const image = queries
		.select({ pk: images.pk })
		.from(images)
		.where(and(carrying, since, unexpired(images, nowMs)));
	const look = lookUpOf({ known: sql`1` }, (fields) =>
		queries
			.select(fields)
			.from(sql`(SELECT 1)`)
			.where(or(exists(row), exists(image))),
	);
	return async ({ keyHash, ...values }: { readonly keyHash: Uint8Array } & Record<string, unknown>) => {
		const keyHex = Buffer.from(keyHash).toString("hex");
		const found = await rows(look.sql, fillPlaceholders(look.params, { ...values, keyHex }), look.many);
		return found.length > 0;
	};
}

function prepareFinds(database: Database) {
	const { queries } = database;
	const nowMs = sql.placeholder("nowMs");
	const storagePk = sql.placeholder("storagePk");
	const keyHash = sql.placeholder("keyHash");
	const made = alias(images, "made");
	// One that was moved since has another address than what was answered.
	const isInPlace = and(eq(made.id, idempotency.imageId), eq(made.storagePk, idempotency.storagePk));
	const isThere = and(isInPlace, unexpired(made, nowMs));
	const image = queries.select({ pk: made.pk }).from(made).where(isThere);
	const named = and(eq(idempotency.storagePk, storagePk), eq(idempotency.keyHash, keyHash));
	const carrying = and(eq(images.storagePk, storagePk), eq(images.idempotencyHash, keyHash));
	const since = gt(images.createdMs, sql.placeholder("keptSinceMs"));
	const { fingerprint, imageId, claim, state, leaseMs, recovery } = idempotency;
	return {
		isKnown: keyKnown(database),
		kept: queries
			.select({
				...{ fingerprint, imageId, nonce: claim, state, leaseMs, recovery },
				exists: sql<number>`${exists(image)}`,
				held: lives(idempotency.process),
			})
			.from(idempotency)
			.where(and(named, gt(idempotency.expiresMs, nowMs)))
			.prepare(),
		keyedImage: queries
			.select({ ...imageFields, fingerprint: images.idempotencyFingerprint })
			.from(images)
			.innerJoin(storages, eq(storages.pk, images.storagePk))
			.where(and(carrying, since, unexpired(images, nowMs)))
			.prepare(),
	};
}

interface KeptRow extends Pick<KeptCreate, "fingerprint" | "imageId" | "nonce" | "leaseMs" | "state"> {
	readonly recovery: string | null;
	readonly exists: number;
	readonly held: number;
}

function toKept({ state, recovery, exists, held, ...found }: KeptRow): KeptCreate {
	const row = { ...found, isAbandoned: held === 0 };
	if (state === "claimed" || recovery === null) return { ...row, state: "claimed" };
	const image = fromJson(recovery);
	return state === "stored" ? { ...row, state, image } : { ...row, state, image, exists: exists === 1 };
}

function toJson(image: NewImage): string {
	const { sha256, sentSha256, seen: _, ...facts } = image;
	return JSON.stringify({ ...facts, sha256: [...sha256], sentSha256: sentSha256 && [...sentSha256] });
}

interface Digests {
	readonly sha256: readonly number[];
	readonly sentSha256?: readonly number[] | null;
}

function fromJson(text: string): NewImage {
	const kept: Kept & Digests & Pick<NewImage, "locked"> & Partial<Pick<NewImage, "appPk">> = JSON.parse(text);
	const { lockedMs: _, ...image } = readSnapshot(imageKept, kept);
	const sentSha256 = kept.sentSha256 ? Uint8Array.from(kept.sentSha256) : null;
	// A release wrote some that did not say whose they are: their addresses are on the service's own host.
	return { ...image, appPk: kept.appPk ?? 0, locked: kept.locked, sha256: Uint8Array.from(kept.sha256), sentSha256 };
}
