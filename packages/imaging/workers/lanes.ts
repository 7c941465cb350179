import type { Lane } from "./line.ts";

interface LaneRules {
	/** The share of `waiting` that may wait here. */
	readonly share: number;
	/** Who has waited for this long is refused. */
	readonly waitMs: number;
	/** Who has waited for this long goes before the other lanes, every other time. */
	readonly dueMs: number;
	/** Leaves one place to the others, where there is more than one. */
	readonly patient: boolean;
}

export const FOREVER = Number.POSITIVE_INFINITY;

/** In the order in which they are served. */
export const LANES: Readonly<Record<Lane, LaneRules>> = {
	cheap: { share: 1, waitMs: 10_000, dueMs: FOREVER, patient: false },
	// Uploads wait on the disk, so a long line costs no memory; the bounds keep it from growing for ever.
	ingest: { share: 4, waitMs: 60_000, dueMs: 2_000, patient: false },
	dear: { share: 1 / 4, waitMs: 30_000, dueMs: 5_000, patient: true },
	// The service's own work bounds itself, and nobody waits for it.
	background: { share: 1, waitMs: FOREVER, dueMs: 10_000, patient: true },
};
export const ORDER = Object.keys(LANES) as readonly Lane[];
/** Fewer would refuse uploads where hardly any rendition may wait. */
const LEAST_INGEST = 1_000;

/** How many may wait in a lane, where `waiting` cheap requests may. */
export function roomOf(lane: Lane, waiting: number): number {
	if (lane === "background") return FOREVER;
	const room = Math.ceil(waiting * LANES[lane].share);
	return lane === "ingest" ? Math.max(LEAST_INGEST, room) : room;
}

/** How many places what is patient may have. */
export function patientPlaces(places: number): number {
	return Math.max(1, places - 1);
}
