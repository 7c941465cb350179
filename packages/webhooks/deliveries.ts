import type { AttemptError, WebhookDeliveryState } from "@svc/base/enumerations";

export interface DeliveryAttempt {
	readonly atMs: number;
	/** Null without an answer. */
	readonly status: number | null;
	readonly ms: number;
	readonly error: AttemptError | null;
	/** The first 1,024 characters of what a public receiver answered. */
	readonly response: string | null;
}

/** One event on its way to one endpoint. */
export interface EndpointDelivery {
	readonly pk: number;
	readonly id: string;
	readonly eventId: string;
	readonly type: string;
	/** Of an event that is in no feed. */
	readonly body: string | null;
	readonly state: WebhookDeliveryState;
	/** Null where it is not tried any more. */
	readonly nextMs: number | null;
	/** The oldest first. */
	readonly attempts: readonly DeliveryAttempt[];
	readonly createdMs: number;
}

/** A delivery that this process tries. */
export interface ClaimedDelivery {
	readonly pk: number;
	readonly eventId: string;
	/** Of an event that is in no feed. */
	readonly body: string | null;
	/** Tries before this one, since it was asked for. */
	readonly tries: number;
	readonly claim: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What passes after each try before the next one; after the last there is none. */
const WAITS = [
	5 * SECOND,
	5 * MINUTE,
	30 * MINUTE,
	2 * HOUR,
	5 * HOUR,
	10 * HOUR,
	14 * HOUR,
	20 * HOUR,
	24 * HOUR,
] as const;

/** A receiver may ask for no more. */
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/**
 * When a delivery that failed is tried again; undefined when it is not.
 * @param tries how many there were, this one included
 * @param chance in [0, 1): each wait is up to a tenth shorter or longer
 */
export function nextTryMs(
	{ tries, nowMs, retryAfterMs }: { tries: number; nowMs: number; retryAfterMs: number | undefined },
	chance: number,
): number | undefined {
	const wait = WAITS[tries - 1];
	if (wait === undefined) return undefined;
	const ours = wait * (0.9 + chance / 5);
	return nowMs + Math.round(Math.max(ours, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)));
}

/** `Retry-After` in seconds or as a date; undefined where it says nothing that can be read. */
export function retryAfterMs(sent: string | undefined, nowMs: number): number | undefined {
	if (sent === undefined) return undefined;
	if (/^\d{1,9}$/.test(sent)) return Number(sent) * SECOND;
	const at = Date.parse(sent);
	return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
