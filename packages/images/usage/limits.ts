import type { Access, App } from "@svc/apps/access";
import type { Failure } from "@svc/base/failure";
import { appQuotaRefusal } from "../create/create-failure.ts";
import type { CallAccess } from "../ports.ts";
import type { Images } from "../room.ts";
import type { StorageUsage } from "./usage.ts";

/* The limits that count are those that hold at the commit: a call takes as long as its body, and they may be changed meanwhile. */

/** How often a commit starts again because the limits were changed once more. */
const ATTEMPTS = 5;

/**
 * Commits under the limits that hold by then. A commit refuses as "closed" what was read under others; it is tried again with those that hold.
 * @param commit the commit with the limits of an access
 */
export async function underLimits<Refusal>(
	access: CallAccess,
	commit: (known: CallAccess) => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
	let known = access;
	for (let attempts = 0; ; attempts++) {
		const refusal = await commit(known);
		if (refusal !== "closed" || attempts === ATTEMPTS) return refusal;
		// Who may not make the call any more is told so by whoever hears of the refusal.
		const now = await known.again?.().catch(() => undefined);
		if (!now || haveSameLimits(now, known)) return refusal;
		known = { ...known, ...now };
	}
}

const OF_APP = ["plan", "tier", "imagesLimit", "limitsUsers"] as const satisfies readonly (keyof App)[];

function haveSameLimits(one: Pick<Access, "app" | "storage">, other: Pick<Access, "app" | "storage">): boolean {
	return OF_APP.every((field) => one.app[field] === other.app[field]) && one.storage.tier === other.storage.tier;
}

/** The counters of the storage that a call is about, with what the plan of its user lets it hold, where that is limited. */
export async function countersOf(
	{ usage, heldLimits, quotaOf, clock }: Pick<Images, "usage" | "heldLimits" | "quotaOf" | "clock">,
	access: Pick<Access, "app" | "storage">,
): Promise<StorageUsage> {
	const { pk } = access.storage;
	const now = clock.now();
	if (!quotaOf(access).ofUser) return await usage.read(pk, now);
	const [counted, held] = await Promise.all([usage.read(pk, now), heldLimits(pk, now)]);
	return { ...counted, held };
}

/**
 * Names the limit that was reached, as it is now: the refusing commit does not name it.
 * @param what came: an image, or bytes for one that is there, whose number stays
 */
export async function quotaFailure(
	room: Images,
	access: CallAccess,
	what: "image" | "bytes" = "image",
): Promise<Failure> {
	const { quotaRefusal = appQuotaRefusal } = room;
	const now = await access.again?.().catch(() => undefined);
	const asked = { ...access, ...now };
	const counted = await countersOf(room, asked);
	return quotaRefusal(asked, what === "image" ? counted : { ...counted, images: 0, appImages: 0 });
}
