import type { Access } from "@svc/apps/access";
import type { Failure } from "@svc/base/failure";
import { appQuotaRefusal } from "./create-failure.ts";
import type { CallAccess } from "./ports.ts";
import type { Images } from "./room.ts";

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

function haveSameLimits(one: Pick<Access, "app" | "storage">, other: Pick<Access, "app" | "storage">): boolean {
	const isSameApp = one.app.plan === other.app.plan && one.app.tier === other.app.tier;
	return isSameApp && one.app.imagesLimit === other.app.imagesLimit && one.storage.tier === other.storage.tier;
}

/** Names the limit that was reached, as it is now: the refusing commit does not name it. */
export async function quotaFailure(room: Images, access: CallAccess): Promise<Failure> {
	const { quotaRefusal = appQuotaRefusal } = room;
	const now = await access.again?.().catch(() => undefined);
	return quotaRefusal({ ...access, ...now }, await room.usage.read(access.storage.pk, room.clock.now()));
}
