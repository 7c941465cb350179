import type { Access } from "@svc/apps/access";
import { toToken } from "@svc/base/crypto/macs";
import type { Permission } from "@svc/base/enumerations";
import { Failure, isSendersFault } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import type { Clock } from "@svc/base/ports";
import type { Created } from "@svc/images/create/claim";
import { decide, type IdempotencyKey } from "@svc/images/create/idempotency";
import type { IdempotencyStore } from "@svc/images/ports";
import type { Images } from "@svc/images/room";
import { withinBudget } from "@svc/keys/keys";

/* Creates without a key: all go into one pool, and each network has a limited number of creates an hour. */

/** The bucket of a network's creates, and how many it may make in an hour. */
export interface HourlyCap {
	readonly bucket: string;
	readonly limit: number;
}

const HOUR_MS = 3_600_000;
const WRITE_ONLY: ReadonlySet<Permission> = new Set(["write"]);

/**
 * An anonymous caller, identified by their network; only a MAC of it is stored.
 * @throws Failure app_blocked, app_suspended while operators keep the pool closed; app_context_unavailable
 */
export async function identifyAnonymous(room: Images, address: string): Promise<Access> {
	const network = toToken(await room.anonymousMac("network", networkOf(address)));
	const ownApp = await withinBudget(room.apps.ownApp.find());
	if (!ownApp) throw new Error("the pool of anonymous images was not made at the start");
	const { app, pool } = ownApp;
	if (app.blocked || app.paused) {
		throw Failure.saying(
			app.blocked ? "app_blocked" : "app_suspended",
			"Images cannot be created without a key at present; send one.",
		);
	}
	const caller = { pk: `anonymous ${network}`, id: "anonymous", reach: "anonymous", permissions: WRITE_ONLY } as const;
	return { caller, app, storage: pool };
}

export function hourlyCap({ caller }: Access, perHour: number): HourlyCap {
	return { bucket: `creates ${caller.pk}`, limit: perHour };
}

/** What is left of this hour's limit; before the first create all of it is left. */
export async function readCap(
	room: Images,
	{ bucket, limit }: HourlyCap,
): Promise<{ readonly remaining: number; readonly resetsMs: number }> {
	const now = room.clock.now();
	const window = await room.throttles.find(bucket, now);
	return { remaining: Math.max(0, limit - (window?.count ?? 0)), resetsMs: window?.endsMs ?? now + HOUR_MS };
}

/**
 * Counts the create before any work is done, so that concurrent ones cannot exceed the limit; takes the count back where nothing new was
 * made, unless it was refused for what was sent. Undefined when the limit is reached.
 */
export async function inTurn(
	room: Images,
	{ bucket, limit }: HourlyCap,
	make: () => Promise<Created>,
): Promise<Created | undefined> {
	const takenMs = room.clock.now();
	if (!(await room.throttles.take(bucket, limit, HOUR_MS, takenMs))) return undefined;
	const window = await room.throttles.find(bucket, takenMs);
	const giveBack = async () => {
		if (!window) return;
		await room.throttles.giveBack(bucket, window.endsMs).catch((cause: unknown) => {
			// The answer stands: the caller has one create less.
			room.log.warn("a turn could not be given back", { cause });
		});
	};
	try {
		const created = await make();
		// An image that existed before was counted when it was made.
		if (created.replayed || created.image.createdMs < takenMs) await giveBack();
		return created;
	} catch (cause) {
		// A create that may have happened stays counted, and so does what cost as much to read and to judge as an image would have.
		const isUnsure = cause instanceof Failure && cause.code === "create_outcome_ambiguous";
		if (!isUnsure && !isSendersFault(cause)) await giveBack();
		throw cause;
	}
}

type Memory = { readonly idempotency: IdempotencyStore; readonly clock: Clock };

/** All callers share the pool, but each has separate keys: trying keys never finds another caller's. */
export function ownKey({ caller }: Access, sent: string): string {
	return `${caller.pk} ${sent}`;
}

/** Whether a key was used before, checked before the body is read. */
export async function isRemembered(room: Memory, { storage }: Access, keyHash: Uint8Array): Promise<boolean> {
	const { kept, keyedImage } = await room.idempotency.find(storage.pk, keyHash, room.clock.now());
	return kept !== undefined || keyedImage !== undefined;
}

/** The image that was made under a key, where only the answer is left to give. */
export async function findMade(
	room: Memory,
	{ storage }: Access,
	{ hash, fingerprint }: IdempotencyKey,
): Promise<Created | undefined> {
	const now = room.clock.now();
	const verdict = decide(await room.idempotency.find(storage.pk, hash, now), fingerprint, now);
	return verdict.act === "answer" ? verdict : undefined;
}
