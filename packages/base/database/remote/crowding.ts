/** How crowded a server is, told by the requests that it answers. */
export interface Crowding {
	/** @param ms from a request to its answer */
	note(ms: number): void;
	/** How much longer requests lately take than the quickest of them did, in milliseconds, up to {@link CROWDED_MS}. */
	ms(): number;
}

export const CROWDED_MS = 15;
/** The share of the latest request in what requests take lately. */
const LATEST = 0.25;
/** What the quickest took grows by this share of each other request: the way may have become longer. */
const FORGOTTEN = 0.002;

/**
 * A server that is far away takes long for each request, and nobody gains by waiting for it longer still; one that takes longer than it did has much to
 * do, or its callers have, and is helped by fewer requests.
 */
export function crowding(): Crowding {
	let quickestMs = Number.POSITIVE_INFINITY;
	let latelyMs: number | undefined;
	return {
		note(ms) {
			latelyMs = latelyMs === undefined ? ms : latelyMs + LATEST * (ms - latelyMs);
			quickestMs = Math.min(ms, quickestMs + FORGOTTEN * ms);
		},
		ms: () => (latelyMs === undefined ? 0 : Math.min(Math.max(0, latelyMs - quickestMs), CROWDED_MS)),
	};
}
