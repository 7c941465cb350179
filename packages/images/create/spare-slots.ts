import type { ImageSlot } from "./idempotency.ts";

/*
 * A blob key is written down before its bytes are, in a commit of its own. Where the database is far away, the commit of one create writes
 * down the key of a later one as well, so that the later one need not wait for that.
 */

interface Spare extends ImageSlot {
	/** When it was written down. */
	readonly sinceMs: number;
}

/** The sweep takes a key that was not used for an hour: what is taken here is young enough for the slowest create. */
const FRESH_MS = 15 * 60_000;
/** More creates at once than this claim their own. */
const KEPT_MAX = 64;

/** Places for images whose blob keys are written down, and used by nobody. What is left over, the sweep removes. */
export class SpareSlots {
	readonly #spare: Spare[] = [];

	/** Undefined where there is none that is young enough. */
	take(nowMs: number): ImageSlot | undefined {
		for (let spare = this.#spare.pop(); spare; spare = this.#spare.pop()) {
			if (spare.sinceMs <= nowMs && nowMs - spare.sinceMs < FRESH_MS) return spare;
		}
		return undefined;
	}

	/** The place must be committed by now. */
	add(slot: ImageSlot, sinceMs: number): void {
		if (this.#spare.length < KEPT_MAX) this.#spare.push({ ...slot, sinceMs });
	}
}
