import { ApiError, ConnectionError, FOREIGN_ERROR } from "../failure.ts";

const FIRST_WAIT_MS = 250;
const LONGEST_BACKOFF_MS = 8000;
/** If the service asks for a longer wait than this, the call fails with its error instead of waiting. */
const LONGEST_WAIT_SECONDS = 60;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Nothing has happened, and the same may succeed in a moment. */
const LATER: ReadonlySet<string> = new Set([
	"upload_failed",
	"import_failed",
	"update_failed",
	"delete_failed",
	"idempotency_key_in_progress",
]);
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Whether sending a request twice does no more than sending it once. A DELETE does not count: its second answer is a 404, which
 * only a caller who knows what was deleted can read as success.
 */
export function isRepeatable(method: string, idempotencyKey: string | undefined): boolean {
	return SAFE_METHODS.has(method) || (method === "POST" && idempotencyKey !== undefined);
}

/** Whether the same request may succeed a little later. */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.reason === "network" || error.reason === "timeout";
	return error instanceof ApiError && isTransientAnswer(error);
}

function isTransientAnswer(error: ApiError): boolean {
	if (error.status === 429 || error.status === 503) return true;
	if (error.code === FOREIGN_ERROR) return GATEWAY_STATUSES.has(error.status);
	return LATER.has(error.code);
}

/** Whether the service may have acted although this failure came back: the answer was lost on its way. */
export function mayHaveActed(error: unknown): boolean {
	if (error instanceof ConnectionError) return true;
	return error instanceof ApiError && error.code === FOREIGN_ERROR && GATEWAY_STATUSES.has(error.status);
}

/**
 * Milliseconds before the next try; undefined when it is not worth waiting. `attempt` counts from 0, `random` is in [0, 1).
 * Jitter keeps many clients that failed together from returning together.
 */
export function waitBeforeRetry(error: unknown, attempt: number, random: number): number | undefined {
	const askedSeconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
	if (askedSeconds !== undefined && askedSeconds > LONGEST_WAIT_SECONDS) return undefined;
	const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_WAIT_MS * 2 ** attempt);
	return askedSeconds === undefined ? backoffMs * (0.5 + random / 2) : askedSeconds * 1000 + FIRST_WAIT_MS * random;
}

/** A timer and the caller's signal in one; `AbortSignal.any` is missing from browsers and runtimes that are still in use. */
export interface Deadline {
	readonly signal: AbortSignal;
	/** True when the timer ran out, false when the caller gave up. */
	isOver(): boolean;
	/** Lets the time begin anew. */
	extend(): void;
	/** Frees the timer and the listener. */
	end(): void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
	const controller = new AbortController();
	let over = false;
	const start = () =>
		setTimeout(() => {
			over = true;
			controller.abort();
		}, timeoutMs);
	let timer = start();
	const giveUp = () => controller.abort(caller?.reason);
	if (caller?.aborted) giveUp();
	caller?.addEventListener("abort", giveUp, { once: true });
	return {
		signal: controller.signal,
		isOver: () => over,
		extend() {
			clearTimeout(timer);
			if (!controller.signal.aborted) timer = start();
		},
		end() {
			clearTimeout(timer);
			caller?.removeEventListener("abort", giveUp);
		},
	};
}

/** Rejects with the signal's reason when it aborts meanwhile. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		const giveUp = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", giveUp);
			resolve();
		}, milliseconds);
		if (signal?.aborted) giveUp();
		else signal?.addEventListener("abort", giveUp, { once: true });
	});
}
