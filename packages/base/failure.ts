/** A failure that another try would not change. The message is read by the people who watch the job. */
export class JobFailure extends Error {
	override readonly name = "JobFailure";
}

/** Every way in which a request can fail: the codes of the specification's table ("Errors"). */
export type FailureCode =
	| "validation_error"
	| "not_found"
	| "workspace_unavailable"
	| "state_conflict"
	| "bad_request"
	| "invalid_code"
	| "unauthorized"
	| "forbidden"
	| "media_locked"
	| "media_blocked"
	| "app_blocked"
	| "app_suspended"
	| "user_forbidden"
	| "rate_limited"
	| "quota_exceeded"
	| "idempotency_key_conflict"
	| "idempotency_key_in_progress"
	| "idempotency_recovery_conflict"
	| "upload_failed"
	| "fetch_failed"
	| "import_failed"
	| "media_failed"
	| "server_error"
	| "update_failed"
	| "delete_failed"
	| "app_context_unavailable"
	| "create_outcome_ambiguous";

/** A field of the request, and its faults. Keys are the names that the caller sent. */
export type Details = Readonly<Record<string, readonly string[]>>;

const MESSAGES = {
	validation_error: "The request has invalid fields; details names each one.",
	not_found: "There is no such thing here.",
	workspace_unavailable: "This storage is being deleted and takes no new images.",
	state_conflict: "The current state does not allow this; read it again before retrying.",
	bad_request: "The request could not be understood.",
	invalid_code: "This code is wrong, expired or already used, or it was given for another App than this key's.",
	unauthorized: "Send a valid key: Authorization: Bearer <API_KEY>. This one is missing, unknown, expired or revoked.",
	forbidden: "This key lacks the permission that the call needs.",
	media_locked: "This image is locked by moderation and cannot be changed.",
	media_blocked: "This image is blocked by moderation.",
	app_blocked: "This App is blocked: its storage can be read, not written.",
	app_suspended: "This App is paused or blocked; its App-wide keys do not work meanwhile.",
	user_forbidden: "The selected user is not available to this App.",
	rate_limited: "Too many requests; wait before sending more.",
	quota_exceeded: "This App takes no new uploads.",
	idempotency_key_conflict: "This Idempotency-Key was used with another body; use a new key.",
	idempotency_key_in_progress: "The first request with this Idempotency-Key is still running.",
	idempotency_recovery_conflict: "This Idempotency-Key belongs to an upload that cannot be replayed; use a new key.",
	upload_failed: "The image could not be stored; nothing was kept and the request can be repeated.",
	fetch_failed: "The image could not be fetched from this address.",
	import_failed: "The fetched image could not be stored; nothing was kept and the request can be repeated.",
	media_failed: "This image could not be processed and never will be.",
	server_error: "Something unexpected failed on our side; the request id finds it in the log.",
	update_failed: "The change could not be saved; nothing was changed. Try again in 2 seconds.",
	delete_failed: "It could not be deleted; nothing was changed. Try again in 2 seconds.",
	app_context_unavailable: "The App's authority could not be checked in time; try again.",
	create_outcome_ambiguous:
		"Whether the image was saved is not known yet; repeating the identical request never doubles it.",
} satisfies Record<FailureCode, string>;

/** Seconds after which the same request may succeed, for the codes that always say so. */
const RETRY_SECONDS: Partial<Record<FailureCode, number>> = {
	upload_failed: 2,
	import_failed: 2,
	update_failed: 2,
	delete_failed: 2,
};

export const FAILURE_CODES = Object.keys(MESSAGES) as readonly FailureCode[];

const REFUSALS: ReadonlySet<FailureCode> = new Set([
	...(["bad_request", "validation_error", "invalid_code", "media_failed", "quota_exceeded"] as const),
	...(["unauthorized", "forbidden", "media_locked", "media_blocked"] as const),
	...(["app_blocked", "app_suspended", "user_forbidden"] as const),
]);

/** Whether an attempt was refused for what it is, and would be again: it counts, though nothing came of it. A conflict and a limit may pass. */
export function isSendersFault(cause: unknown): cause is Failure {
	return cause instanceof Failure && REFUSALS.has(cause.code);
}

/** What the caller, or the user of the caller, can do (specification, "Errors"). */
export interface FailureAction {
	readonly type: "wait" | "upgrade";
	/** The text of a button that leads to `url`. */
	readonly label: string;
	readonly url: string;
}

interface FailureOptions {
	readonly cause?: unknown;
	/** Replaces the table's sentence where the specification asks for facts in it. Shown to the caller. */
	readonly message?: string;
	/** Whole seconds after which the same request may succeed; makes the `wait` action. */
	readonly retryAfterSeconds?: number;
	/** How many faults there are besides those in the details. */
	readonly moreFaults?: number;
	/** With `retryAfterSeconds` its type is `wait`, and it says what to do meanwhile. */
	readonly action?: FailureAction;
	/** True where the time ran out, or what is needed was away, rather than the operation failed: 504 instead of 502, 503 instead of 500. */
	readonly timedOut?: boolean;
}

/** Thrown for everything that the caller should be told. Any other error is a bug. */
export class Failure extends Error {
	override readonly name = "Failure";
	readonly code: FailureCode;
	readonly details: Details | undefined;
	readonly moreFaults: number;
	readonly retryAfterSeconds: number | undefined;
	readonly action: FailureAction | undefined;
	readonly timedOut: boolean;

	/** Replaces the table's sentence where the specification asks for more than the table's. It is shown to the caller. */
	static saying(code: FailureCode, message: string): Failure {
		return new Failure(code, undefined, { message });
	}

	constructor(code: FailureCode, details?: Details, options: FailureOptions = {}) {
		super(options.message ?? MESSAGES[code], { cause: options.cause });
		this.code = code;
		this.details = details;
		this.moreFaults = options.moreFaults ?? 0;
		this.retryAfterSeconds = options.retryAfterSeconds ?? RETRY_SECONDS[code];
		this.action = options.action;
		this.timedOut = options.timedOut ?? false;
	}
}

/** Work on a picture that took the process with it in which it was done. Where that was not the picture's fault another try may succeed. */
export class WorkLost extends Failure {
	/** How many processes it cost for what it is, rather than for what became of the machine. */
	readonly processes: number;

	constructor(processes: number, options: ErrorOptions) {
		super("server_error", undefined, {
			...options,
			message: "This could not be made right now; try again shortly.",
			timedOut: true,
			retryAfterSeconds: 2,
		});
		this.processes = processes;
	}
}

/** More is asked of the workers than they do in time. */
export class NoRoom extends Failure {
	constructor(message: string, retryAfterSeconds: number) {
		super("server_error", undefined, { message, timedOut: true, retryAfterSeconds });
	}
}

/** An address that could not be fetched, and that may be in a moment: nobody answered, or who did was busy or broke off. */
export class FetchAgain extends Failure {
	/** @param why is shown, `cause` only logged */
	constructor(why: string, cause?: unknown) {
		super("fetch_failed", { url: [why] }, { cause });
	}
}

/** A 422 that names one field. */
export function invalid(field: string, message: string): Failure {
	return new Failure("validation_error", { [field]: [message] });
}

/** Returns the thing that a caller named, where there is one. @throws Failure not_found */
export function found<Thing>(thing: Thing | undefined): Thing {
	if (thing === undefined) throw new Failure("not_found");
	return thing;
}
