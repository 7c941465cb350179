import { busy, DatabaseError, UNKNOWN_OUTCOME } from "@svc/base/database-error";
import { ERROR_TYPES } from "@svc/base/envelope";
import { FAILURE_CODES, Failure, type FailureCode } from "@svc/base/failure";
import { about, integer, named, oneOf } from "@svc/variants/shape";

/** HTTP status of each code (specification, "Errors"). */
const STATUSES = {
	unauthorized: 401,
	forbidden: 403,
	media_locked: 403,
	media_blocked: 403,
	app_blocked: 403,
	app_suspended: 403,
	user_forbidden: 403,
	quota_exceeded: 403,
	not_found: 404,
	bad_request: 400,
	workspace_unavailable: 409,
	state_conflict: 409,
	idempotency_key_conflict: 409,
	idempotency_key_in_progress: 409,
	idempotency_recovery_conflict: 409,
	validation_error: 422,
	media_failed: 422,
	invalid_code: 422,
	rate_limited: 429,
	server_error: 500,
	upload_failed: 500,
	import_failed: 500,
	update_failed: 500,
	delete_failed: 500,
	fetch_failed: 502,
	app_context_unavailable: 503,
	create_outcome_ambiguous: 503,
} satisfies Record<FailureCode, number>;

/** Statuses of the same failures after a timeout, where the table distinguishes that. */
const LATE_STATUSES: Partial<Record<FailureCode, number>> = { fetch_failed: 504, server_error: 503 };

export function statusOf(failure: Failure): number {
	return (failure.timedOut ? LATE_STATUSES[failure.code] : undefined) ?? STATUSES[failure.code];
}

/** A failure as it is answered: an error that was not thrown on purpose reveals nothing about itself. */
function asFailure(cause: unknown): Failure {
	return cause instanceof Failure ? cause : new Failure("server_error", undefined, { cause });
}

const AWAY = "The database could not be reached in time; try again.";

/**
 * The same for a request of which something may have happened although the database was away: it says where that can be seen.
 * @param seenAt an address that a GET takes
 */
export function asRequestFailure(cause: unknown, method: string, seenAt: string | undefined): Failure {
	const fault = cause instanceof Failure ? cause.cause : cause;
	if (!(fault instanceof DatabaseError && fault.passing)) return asFailure(cause);
	// What was said on purpose stands, if it does not leave open whether anything has changed.
	if (cause instanceof Failure && (cause.code !== "server_error" || fault.written === "no")) return cause;
	if (method === "GET" || method === "HEAD") return busy(AWAY, fault);
	return busy(seenAt ? `${UNKNOWN_OUTCOME} GET ${seenAt} shows it.` : UNKNOWN_OUTCOME, fault);
}

import * as v from "valibot";

/* How a refusal looks on the wire (specification, "Errors"). */

const action = named(
	"ErrorAction",
	v.object({
		type: oneOf("ErrorActionType", ["wait", "upgrade"]),
		retry_after: v.optional(about(integer, "Whole seconds; with `wait` only.")),
		label: v.optional(v.string()),
		url: v.optional(v.string()),
	}),
);

export const errorObject = named(
	"ErrorObject",
	v.object({
		type: oneOf("ErrorType", ERROR_TYPES),
		code: oneOf("ErrorCode", FAILURE_CODES),
		message: v.string(),
		action: v.optional(action),
		details: v.optional(
			about(v.record(v.string(), v.array(v.string())), "By field of the request: what is wrong with it."),
		),
	}),
);

export const errorSchema = named("Error", v.object({ error: errorObject }));
