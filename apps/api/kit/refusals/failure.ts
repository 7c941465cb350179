import { busy, DatabaseError, UNKNOWN_OUTCOME } from "@svc/base/database-error";
import { FAILURE_CODES, Failure, type FailureCode } from "@svc/base/failure";
import { ERROR_TYPES } from "@svc/base/http/envelope";
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
 * What an operation answers where the database could not do it: where it is known that nothing was changed, and where it is not. Items of a
 * batch are answered by the same rows, each for itself.
 */
export const DATABASE_FAILURES = {
	read: { known: "server_error", unknown: "server_error" },
	upload: { known: "upload_failed", unknown: "create_outcome_ambiguous" },
	import: { known: "import_failed", unknown: "create_outcome_ambiguous" },
	change: { known: "update_failed", unknown: "server_error" },
	deletion: { known: "delete_failed", unknown: "server_error" },
} as const satisfies Record<string, { readonly known: FailureCode; readonly unknown: FailureCode }>;

interface Failed {
	readonly method: string;
	/** An address that a GET takes, where it can be seen what has happened. */
	readonly seenAt: string | undefined;
	/** Whether the request has changed anything, or may have. */
	readonly changed: boolean;
}

/** The same for a request that the database could not do. Creates of images tell their own failures. */
export function asRequestFailure(cause: unknown, { method, seenAt, changed }: Failed): Failure {
	const fault = cause instanceof Failure ? cause.cause : cause;
	// What was said on purpose stands, if it does not leave open whether anything has changed.
	const isRead = method === "GET" || method === "HEAD";
	if (!(fault instanceof DatabaseError) || isSaid(cause, isRead)) return asFailure(cause);
	if (!isRead && fault.written === "no" && !changed)
		return new Failure(DATABASE_FAILURES[method === "DELETE" ? "deletion" : "change"].known, undefined, { cause });
	if (!fault.passing) return asFailure(cause);
	if (isRead) return busy(AWAY, fault);
	return busy(seenAt ? `${UNKNOWN_OUTCOME} GET ${seenAt} shows it.` : UNKNOWN_OUTCOME, fault);
}

function isSaid(cause: unknown, isRead: boolean): boolean {
	return cause instanceof Failure && (isRead || cause.code !== "server_error");
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
