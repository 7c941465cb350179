import type { Access } from "@svc/apps/access";
import { APP_PLANS } from "@svc/apps/profile/app-plan";
import { DatabaseError } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import type { CommitRefusal } from "../ports.ts";
import { type HeldLimits, imagesLimit, type StorageUsage } from "../usage/usage.ts";

/* How a create fails. */

export const RETRY_SECONDS = 2;

export function ambiguous(cause?: unknown): Failure {
	return new Failure("create_outcome_ambiguous", undefined, { cause, retryAfterSeconds: RETRY_SECONDS });
}

/** A refusal for lack of space names no limit: {@link QuotaRefusal} does. */
export function refused(refusal: CommitRefusal): Failure {
	if (refusal === "closed") return new Failure("workspace_unavailable");
	if (refusal === "quota") return new Failure("quota_exceeded");
	if (refusal === "taken") return externalIdTaken();
	if (refusal === "withdrawn") return new Failure("state_conflict");
	return ambiguous();
}

/** Two living images of one storage cannot have the same name. */
export function externalIdTaken(): Failure {
	return new Failure("state_conflict", { external_id: ["is taken by another image of this storage"] });
}

/** Why a storage is closed for a caller: they are told what they would be told if they came now. */
export async function closed(access: Access): Promise<Failure> {
	const gone = refused("closed");
	if (!access.again) return gone;
	try {
		const { storage } = await access.again();
		if (storage.state === "deleting") return gone;
	} catch (cause) {
		if (cause instanceof Failure) return cause;
		throw cause;
	}
	// What kept them out is over already, as a short pause of the App.
	return new Failure("app_context_unavailable", undefined, { retryAfterSeconds: RETRY_SECONDS });
}

/** What refused is the limit of the storage's user, rather than one of the whole App. */
export class UserIsFull extends Failure {
	constructor(message: string) {
		super("quota_exceeded", undefined, { message });
	}
}

/** Names the limit that refused the caller, and the way out. */
export type QuotaRefusal = (access: Access, counted: StorageUsage) => Failure;

const PLAN_NAMES = { free: "Free", pro: "Pro", unlimited: "Unlimited" } as const;

/** The refusal where Apps have limits. */
export function appQuotaRefusal(access: Access, counted: StorageUsage): Failure {
	// A connected user is not told what the App pays for.
	if (access.caller.reach === "user") return new Failure("quota_exceeded");
	const { plan, imagesLimit: own } = access.app;
	const most = imagesLimit(access.app);
	const isAppFull = most !== null && counted.appImages >= most;
	if (counted.held && !isAppFull) return heldRefusal(counted.held, counted);
	const name = PLAN_NAMES[plan];
	const target = APP_PLANS[plan].upgradeTo;
	const move = target ? ` or move to ${PLAN_NAMES[target]}` : "";
	const limit = inWords(most ?? 0);
	// An App's own limit goes before that of any plan: moving alone would not help.
	const message =
		own === null
			? `The ${name} plan holds ${limit} images and this App has reached it; delete images${move}.`
			: `An operator has limited this App to ${limit} ${own === 1 ? "image" : "images"}, whatever its plan (${name}) holds, and it has reached that; delete images${move}, and ask the people who run this service to lift the limit.`;
	return Failure.saying("quota_exceeded", message);
}

/** Names the plan of the storage's user, which the App sells or gives. */
function heldRefusal({ plan, images, bytes }: HeldLimits, counted: StorageUsage): Failure {
	const whose = plan ? `The plan "${plan.name}" (${plan.key}) holds` : "A user without a plan has room in this App for";
	const way = plan ? "let the user move to a plan that holds more" : "let the user take a plan that holds more";
	const isCount = images !== null && counted.images >= images;
	// It was raised since.
	if (!isCount && bytes === null) return new Failure("quota_exceeded");
	const limit = isCount
		? `${inWords(images)} ${images === 1 ? "image" : "images"}, and this user has reached that`
		: `${inWords(bytes ?? 0)} bytes, and this image does not fit into what is left of them`;
	return new UserIsFull(`${whose} ${limit}; delete images, or ${way}.`);
}

function inWords(count: number): string {
	return count.toLocaleString("en");
}

/** A fault that is no Failure becomes a failure to store, or, after a fetch, to import; what was away may be there in a moment. */
export function asCreateFailure(cause: unknown, kind: "upload" | "import"): Failure {
	const own = kind === "upload" ? "upload_failed" : "import_failed";
	if (cause instanceof Failure && (cause.code !== "upload_failed" || kind === "upload")) return cause;
	// Here nothing was stored, even where the answer to a change was lost on the way: what may have been is ambiguous.
	const away = cause instanceof DatabaseError ? cause.passing : cause instanceof Failure && cause.timedOut;
	const told = cause instanceof DatabaseError ? new DatabaseError(cause.code, "no", cause) : cause;
	return new Failure(own, undefined, {
		cause: told,
		...(away && { timedOut: true, retryAfterSeconds: RETRY_SECONDS }),
	});
}
