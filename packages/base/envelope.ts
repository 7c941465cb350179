import type { Details, Failure, FailureAction, FailureCode } from "./failure.ts";

/** The coarse category of each code (specification, "Errors"). */
const TYPES = {
	validation_error: "invalid_request_error",
	not_found: "invalid_request_error",
	workspace_unavailable: "invalid_request_error",
	state_conflict: "invalid_request_error",
	bad_request: "invalid_request_error",
	invalid_code: "invalid_request_error",
	unauthorized: "authentication_error",
	forbidden: "permission_error",
	media_locked: "permission_error",
	media_blocked: "permission_error",
	app_blocked: "permission_error",
	app_suspended: "permission_error",
	user_forbidden: "permission_error",
	rate_limited: "rate_limit_error",
	quota_exceeded: "quota_error",
	idempotency_key_conflict: "idempotency_error",
	idempotency_key_in_progress: "idempotency_error",
	idempotency_recovery_conflict: "idempotency_error",
	upload_failed: "processing_error",
	fetch_failed: "processing_error",
	import_failed: "processing_error",
	media_failed: "processing_error",
	server_error: "api_error",
	update_failed: "api_error",
	delete_failed: "api_error",
	app_context_unavailable: "api_error",
	create_outcome_ambiguous: "api_error",
} as const satisfies Record<FailureCode, string>;

type ErrorType = (typeof TYPES)[FailureCode];

export const ERROR_TYPES: readonly ErrorType[] = [...new Set(Object.values(TYPES))];

/** Only `wait` has a number of seconds; it may also have a link. */
type Action = FailureAction | (Partial<FailureAction> & { readonly type: "wait"; readonly retry_after: number });

/** The body of every error answer. */
export interface ErrorEnvelope {
	readonly error: {
		readonly type: ErrorType;
		readonly code: FailureCode;
		readonly message: string;
		readonly action?: Action;
		readonly details?: Details;
	};
}

export function errorBody(failure: Failure): ErrorEnvelope {
	const { code, message, details } = failure;
	const action = actionOf(failure);
	return {
		error: {
			type: TYPES[code],
			code,
			message,
			...(details && { details }),
			...(action && { action }),
		},
	};
}

function actionOf({ action, retryAfterSeconds }: Failure): Action | undefined {
	if (retryAfterSeconds === undefined) return action;
	return {
		type: "wait",
		retry_after: retryAfterSeconds,
		...(action && { label: action.label, url: action.url }),
	};
}
