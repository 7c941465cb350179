/** So many workers may end within this time without having done anything before their successors have to wait. */
const DEATHS = 5;
const WITHIN_MS = 10_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * When a lost worker is replaced: at once, unless workers end again and again before they have done anything. Then something is wrong that no start
 * mends, and a machine that does nothing but start processes has no time for what still works.
 */
export class Starts {
	#deaths: number[] = [];
	#waitMs = 0;
	#atMs = 0;

	/** A worker has done something: starting them is worth it. */
	worked(): void {
		this.#deaths = [];
		this.#waitMs = 0;
	}

	/** A worker has ended before it did anything. */
	died(nowMs: number): void {
		this.#deaths = [...this.#deaths.filter((atMs) => nowMs - atMs < WITHIN_MS), nowMs];
		if (this.#deaths.length < DEATHS && this.#waitMs === 0) return;
		if (nowMs < this.#atMs) return;
		this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs === 0 ? FIRST_WAIT_MS : 2 * this.#waitMs);
		this.#atMs = nowMs + this.#waitMs;
	}

	/** Milliseconds until one may be started; 0: at once. */
	waitMs(nowMs: number): number {
		return this.#waitMs === 0 ? 0 : Math.max(0, this.#atMs - nowMs);
	}
}
