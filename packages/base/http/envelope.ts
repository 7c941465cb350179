import type { Details, Failure, FailureAction, FailureCode } from "../failure.ts";

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

/** What an answer may hold: with these it has less than 64 KB, also where JSON writes each letter as six. */
export const FAULTS_MAX = 20;
const NAME_MAX = 100;
const MESSAGE_MAX = 400;

/** The one place where errors are written: whatever a caller sent, the answer to it is short. */
export function errorBody(failure: Failure): ErrorEnvelope {
	const { code, message } = failure;
	const details = namedIn(failure);
	const action = actionOf(failure);
	return {
		error: {
			type: TYPES[code],
			code,
			message: cut(message, MESSAGE_MAX),
			...(details && { details }),
			...(action && { action }),
		},
	};
}

/** The first faults, and under `body` how many more there are. */
function namedIn({ details, moreFaults }: Failure): Details | undefined {
	if (details === undefined) return undefined;
	const named = new Map<string, string[]>();
	let [left, more] = [FAULTS_MAX, moreFaults];
	for (const [name, faults] of Object.entries(details)) {
		const shown = faults.slice(0, left);
		left -= shown.length;
		more += faults.length - shown.length;
		if (shown.length > 0) append(named, cut(name, NAME_MAX), ...shown.map((fault) => cut(fault, MESSAGE_MAX)));
	}
	if (more > 0) append(named, "body", `and ${more.toLocaleString("en")} more`);
	// Built from entries: assigning a fault to the name "__proto__" would lose it.
	return Object.fromEntries(named);
}

function append(named: Map<string, string[]>, name: string, ...faults: readonly string[]): void {
	const known = named.get(name);
	if (known) known.push(...faults);
	else named.set(name, [...faults]);
}

function cut(text: string, max: number): string {
	return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

function actionOf({ action, retryAfterSeconds }: Failure): Action | undefined {
	if (retryAfterSeconds === undefined) return action;
	return {
		type: "wait",
		retry_after: retryAfterSeconds,
		...(action && { label: action.label, url: action.url }),
	};
}
