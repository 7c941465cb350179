import { Failure } from "@svc/base/failure";
import { inTime } from "@svc/base/pace/patience";
import type { Billing } from "./room.ts";

/** How long a request waits for the processor. */
const PATIENCE_MS = 2_000;

/** How long a request waits where a bank may have to be asked. */
const ACT_PATIENCE_MS = 10_000;

const RETRY_AFTER_SECONDS = 30;

/**
 * Waits for the processor, but not for ever.
 * @throws Failure server_error with Retry-After when it does not answer or cannot do it
 */
export function withinRequest<T>(work: Promise<T>): Promise<T> {
	return inTime(work, PATIENCE_MS, unanswered);
}

/** {@link withinRequest} for a change. Work that is not waited for any more goes on, and may be requested again. */
export function withinChange<T>(work: Promise<T>): Promise<T> {
	return inTime(work, ACT_PATIENCE_MS, unanswered);
}

/** What could not be confirmed in time, and may be asked for again. */
export function unanswered(cause?: unknown): Failure {
	return new Failure("server_error", undefined, {
		message: "The payment processor has not confirmed this yet; keep what was read last and try again.",
		retryAfterSeconds: RETRY_AFTER_SECONDS,
		timedOut: true,
		cause,
	});
}

/** What fails is logged, and done by a later round. */
export async function attempt(room: Billing, work: () => Promise<unknown>): Promise<void> {
	await work().catch((cause: unknown) => room.log.warn("a subscription could not be brought up to date", { cause }));
}
