import type { Access } from "./access.ts";
import { Failure } from "./failure.ts";
import { APP_PLANS } from "./plans.ts";
import type { CommitRefusal } from "./ports.ts";
import { imagesLimit } from "./usage.ts";

/* How a create fails. */

export const RETRY_SECONDS = 2;

export function ambiguous(cause?: unknown): Failure {
	return new Failure("create_outcome_ambiguous", undefined, { cause, retryAfterSeconds: RETRY_SECONDS });
}

export function refused(refusal: CommitRefusal, access: Access): Failure {
	if (refusal === "storage_deleting") return new Failure("workspace_unavailable");
	if (refusal === "quota") return quotaExceeded(access);
	return ambiguous();
}

const PLAN_NAMES = { free: "Free", pro: "Pro", unlimited: "Unlimited" } as const;

function quotaExceeded(access: Access): Failure {
	// A connected user is not told what the App pays for.
	if (access.caller.reach === "user") return new Failure("quota_exceeded");
	const { plan } = access.app;
	const limit = (imagesLimit(access.app) ?? 0).toLocaleString("en");
	const target = APP_PLANS[plan].upgradeTo;
	const way = target ? `delete images or move to ${PLAN_NAMES[target]}` : "delete images";
	return new Failure("quota_exceeded", undefined, {
		message: `The ${PLAN_NAMES[plan]} plan holds ${limit} images and this App has reached it; ${way}.`,
	});
}

/** What was not refused on purpose could not be stored, or, after a fetch, not be imported. */
export function asCreateFailure(cause: unknown, kind: "upload" | "import"): Failure {
	const own = kind === "upload" ? "upload_failed" : "import_failed";
	if (cause instanceof Failure && (cause.code !== "upload_failed" || kind === "upload")) return cause;
	return new Failure(own, undefined, { cause });
}
