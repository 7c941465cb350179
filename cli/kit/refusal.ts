import { EXIT, type ExitCode, LocalError } from "@svc/base/processes/exit";
import { ApiError, ConnectionError, FOREIGN_ERROR } from "@svc/sdk/failure";
import type { ErrorCode } from "@svc/sdk/shapes";

/* What refusals and failures mean to whoever runs a command; loaded only when something fails, or may be advised upon. */

const BY_CODE = {
	validation_error: EXIT.failed,
	not_found: EXIT.missing,
	workspace_unavailable: EXIT.conflict,
	state_conflict: EXIT.conflict,
	bad_request: EXIT.failed,
	invalid_code: EXIT.failed,
	unauthorized: EXIT.auth,
	forbidden: EXIT.auth,
	media_locked: EXIT.auth,
	media_blocked: EXIT.auth,
	app_blocked: EXIT.auth,
	app_suspended: EXIT.auth,
	user_forbidden: EXIT.auth,
	rate_limited: EXIT.later,
	quota_exceeded: EXIT.failed,
	idempotency_key_conflict: EXIT.conflict,
	idempotency_key_in_progress: EXIT.later,
	idempotency_recovery_conflict: EXIT.conflict,
	upload_failed: EXIT.later,
	fetch_failed: EXIT.failed,
	import_failed: EXIT.failed,
	media_failed: EXIT.failed,
	server_error: EXIT.failed,
	update_failed: EXIT.later,
	delete_failed: EXIT.later,
	app_context_unavailable: EXIT.later,
	create_outcome_ambiguous: EXIT.later,
} satisfies Record<ErrorCode, ExitCode>;

/** Exit codes by status, for error codes that a newer service has and this program does not know. */
const BY_STATUS: Readonly<Record<number, ExitCode>> = {
	401: EXIT.auth,
	403: EXIT.auth,
	404: EXIT.missing,
	409: EXIT.conflict,
	429: EXIT.later,
	502: EXIT.later,
	503: EXIT.later,
	504: EXIT.later,
};

const NEXT = {
	validation_error: "Correct the fields named above and run the command again.",
	not_found: "Check the id; the list command of the same group shows what there is.",
	workspace_unavailable: "This storage is going away; choose another one with --user.",
	state_conflict: "Look at the current state and decide again.",
	bad_request: "See what the call takes: svc api --help",
	invalid_code: "Ask for a new code: svc login",
	unauthorized: "Sign in again (svc login), set SVC_API_KEY to a valid key, or choose another profile with --profile.",
	forbidden:
		"See who you are and what you may do: svc whoami. Sign in: svc login; confirm that it is you: svc login --step-up",
	media_locked: "A moderator has to unlock it.",
	media_blocked: "A moderator has to unblock it.",
	app_blocked: "See which App this is: svc whoami",
	app_suspended: "Resume the App, then run the command again.",
	user_forbidden:
		"See who you are and what you may do: svc whoami. Sign in: svc login; confirm that it is you: svc login --step-up",
	rate_limited: "Wait, then run the same command again.",
	quota_exceeded: "Free some room: svc images delete <id>",
	idempotency_key_conflict: "Run the command again with another --idempotency-key.",
	idempotency_key_in_progress: "Run the same command again in a moment; nothing is doubled.",
	idempotency_recovery_conflict: "Run the command again with another --idempotency-key.",
	upload_failed: "Run the same command again; nothing is doubled.",
	fetch_failed: "Check that the address is public and answers, then run the command again.",
	import_failed: "Run the command again.",
	media_failed: "Upload the file again: svc images upload <file>",
	server_error: "Look for the request id in the service's log.",
	update_failed: "Run the same command again; nothing was changed.",
	delete_failed: "Run the same command again; nothing was changed.",
	app_context_unavailable: "Run the same command again in a moment.",
	create_outcome_ambiguous: "Run the same command again; nothing is doubled.",
} satisfies Record<ErrorCode, string>;

/** What the machine refuses is no fault of the program. */
const REFUSED: Readonly<Record<string, readonly [message: string, next: string]>> = {
	ENOSPC: ["The disk is full: not all could be written.", "Make room, and run the command again."],
	EDQUOT: ["The disk's quota is used up: not all could be written.", "Make room, and run the command again."],
	EFBIG: ["The file would be larger than it may be here.", "Write it elsewhere."],
	EROFS: ["This disk cannot be written to.", "Write it elsewhere."],
	EIO: ["The disk or the terminal failed while it was read or written.", "Look at the machine's own log."],
};

/** The error as it is reported: one of the machine's in words. */
export function inWords(error: unknown): unknown {
	const code = error instanceof Error && !(error instanceof LocalError) && "code" in error ? String(error.code) : "";
	const [message, next] = (Object.hasOwn(REFUSED, code) && REFUSED[code]) || [];
	return message === undefined ? error : new LocalError(`${message} (${code})`, next);
}

export function exitOf(error: unknown): ExitCode {
	if (error instanceof ApiError) return exitOfAnswer(error);
	if (error instanceof ConnectionError) return error.reason === "redirect" ? EXIT.failed : EXIT.later;
	return error instanceof LocalError ? error.exit : EXIT.bug;
}

function exitOfAnswer({ code, status }: ApiError): ExitCode {
	// A 503 may also have the code server_error, and a 503 is transient.
	if (isKnown(code) && !(code === "server_error" && status === 503)) return BY_CODE[code];
	return BY_STATUS[status] ?? EXIT.failed;
}

function isKnown(code: string): code is ErrorCode {
	return Object.hasOwn(BY_CODE, code);
}

/** Advice in one sentence or command; undefined where there is none. */
export function nextStep(error: unknown): string | undefined {
	if (error instanceof LocalError) return error.next;
	if (error instanceof ConnectionError)
		return "Check SVC_BASE_URL or the profile's address, and that the service runs.";
	if (error instanceof ApiError && error.code === "forbidden" && error.details?.session !== undefined)
		return "Sign in with a code: svc login; where you have, confirm that it is you: svc login --step-up";
	if (error instanceof ApiError && error.status === 421)
		return "Check the address: SVC_BASE_URL, or the profile's (svc profile list), has to be the service's own SVC_BASE_URL.";
	if (error instanceof ApiError && error.code === FOREIGN_ERROR)
		return "Something in between answered, not the service: check the address, and try again in a moment.";
	return adviceOn(error) ?? (error instanceof ApiError && isKnown(error.code) ? NEXT[error.code] : undefined);
}

/** The next step, by the code of the service's refusal. */
export type Advice = Partial<Record<ErrorCode, string>>;

const advised = new WeakMap<object, string>();

/** Advice of the command that failed; undefined where the general advice for the code is as useful. */
function adviceOn(error: unknown): string | undefined {
	return typeof error === "object" && error !== null ? advised.get(error) : undefined;
}

/** Remembers with a refusal what this command would do about it. The first to say something is nearest to the cause. */
export async function advising<T>(advice: Advice, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		const text = error instanceof ApiError ? (advice as Readonly<Record<string, string>>)[error.code] : undefined;
		if (error instanceof ApiError && text !== undefined && !advised.has(error)) advised.set(error, text);
		throw error;
	}
}
