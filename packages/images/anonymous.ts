import type { Access } from "@svc/apps/access";
import type { Permission } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { toToken } from "@svc/base/macs";
import { networkOf } from "@svc/base/network";
import type { Clock } from "@svc/base/ports";
import { withinBudget } from "@svc/keys/keys";
import type { Created } from "./claim.ts";
import { decide, type IdempotencyKey, keyHash } from "./idempotency.ts";
import type { IdempotencyStore } from "./ports.ts";
import type { Images } from "./room.ts";

/* Creates without a key: all go into one pool, and each network has so many turns an hour. */

/** Whose turns are counted, and how many there are in an hour. */
export interface HourlyCap {
	readonly bucket: string;
	readonly limit: number;
}

const HOUR_MS = 3_600_000;
const WRITE_ONLY: ReadonlySet<Permission> = new Set(["write"]);

/**
 * Nobody in particular, told apart by the network that they come from; only a MAC of it is kept.
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

/** What is left of this hour; an hour that has not begun is whole. */
export async function readCap(
	room: Images,
	{ bucket, limit }: HourlyCap,
): Promise<{ readonly remaining: number; readonly resetsMs: number }> {
	const now = room.clock.now();
	const window = await room.throttles.find(bucket, now);
	return { remaining: Math.max(0, limit - (window?.count ?? 0)), resetsMs: window?.endsMs ?? now + HOUR_MS };
}

/**
 * Takes a turn before any work is done, so that many at once cannot have more than there are; gives it back where nothing new was
 * made. Undefined when no turn is left.
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
			// The answer stands: whoever asked has one turn less.
			room.log.warn("a turn could not be given back", { cause });
		});
	};
	try {
		const created = await make();
		// What was there before had its turn when it was made.
		if (created.replayed || created.image.createdMs < takenMs) await giveBack();
		return created;
	} catch (cause) {
		// What may be there after all keeps its turn.
		if (!(cause instanceof Failure && cause.code === "create_outcome_ambiguous")) await giveBack();
		throw cause;
	}
}

type Memory = { readonly idempotency: IdempotencyStore; readonly clock: Clock };

/** Everybody has keys of their own in the pool that all share: nobody can meet another's by trying. */
export function ownKey({ caller }: Access, sent: string): string {
	return `${caller.pk} ${sent}`;
}

/** Whether anything was ever asked under a key, before its body is read. */
export async function isRemembered(room: Memory, { storage }: Access, ownedKey: string): Promise<boolean> {
	const { kept, keyedImage } = await room.idempotency.find(storage.pk, await keyHash(ownedKey), room.clock.now());
	return kept !== undefined || keyedImage !== undefined;
}

/** The image that was made under a key, where there is nothing left to do but to answer with it. */
export async function findMade(
	room: Memory,
	{ storage }: Access,
	{ hash, fingerprint }: IdempotencyKey,
): Promise<Created | undefined> {
	const now = room.clock.now();
	const verdict = decide(await room.idempotency.find(storage.pk, hash, now), fingerprint, now);
	return verdict.act === "answer" ? verdict : undefined;
}
