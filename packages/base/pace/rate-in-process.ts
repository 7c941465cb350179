import { Failure } from "../failure.ts";
import type { Clock } from "../ports.ts";

/* The generic cell rate algorithm (ITU-T I.371): one number per key says when its bucket will be empty again. Kept in memory: a
   restart forgives. Processes that serve one database share a limit: each lets its part of it pass. */

export interface RateLimit {
	/** Steady rate; 0 turns the limit off. */
	readonly perSecond: number;
	/** How many may pass at once after a pause. */
	readonly burst: number;
}

export interface RateLimiter {
	/** Takes nothing. @throws Failure rate_limited, as {@link take} would now */
	ask(key: string | number): void;
	/** @throws Failure rate_limited, with the whole seconds after which the next one passes */
	take(key: string | number): void;
}

/** More keys than this at once are an attack with made-up keys, or need an operator: the emptiest buckets are forgotten first. */
const KEYS_MAX = 100_000;

/**
 * @param clock never goes back: a wall clock that does would lock keys out until it has caught up
 * @param sharers how many processes share the limit now
 */
export function rateLimiter(
	{ perSecond, burst }: RateLimit,
	clock: Clock,
	sharers: () => number = () => 1,
): RateLimiter {
	if (perSecond === 0) return { ask: () => undefined, take: () => undefined };
	/** When each bucket is empty again, in the order of last use. */
	const emptyAtMs = new Map<string | number, number>();

	/** When the bucket is empty again with one more in it. */
	function ask(key: string | number): number {
		const now = clock.now();
		const processes = sharers();
		const intervalMs = (1_000 * processes) / perSecond;
		const toleranceMs = intervalMs * (Math.max(1, burst / processes) - 1);
		const emptyMs = Math.max(emptyAtMs.get(key) ?? now, now);
		const waitMs = emptyMs - toleranceMs - now;
		if (waitMs > 0) {
			throw new Failure("rate_limited", undefined, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
		}
		return emptyMs + intervalMs;
	}

	return {
		ask,
		take(key) {
			const emptyMs = ask(key);
			emptyAtMs.delete(key);
			emptyAtMs.set(key, emptyMs);
			forgetOldest(emptyAtMs);
		},
	};
}

function forgetOldest(buckets: Map<string | number, number>): void {
	if (buckets.size <= KEYS_MAX) return;
	for (const key of buckets.keys()) {
		buckets.delete(key);
		return;
	}
}
