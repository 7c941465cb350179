import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Clock } from "@svc/base/ports";

/** Renditions that are counted; one that is forgotten is counted anew. A hundred bytes each. */
const COUNTED_MAX = 20_000;
const DAY_MS = 86_400_000;

interface Asked {
	times: number;
	readonly sinceMs: number;
}

/** Counts how often each rendition is asked for within a day. */
export class FormDemand {
	readonly #asked = new LeastRecent<string, Asked>(COUNTED_MAX);
	readonly #often: number;
	readonly #clock: Clock;

	/** @param often how often a day is often; 0: nothing is */
	constructor(often: number, clock: Clock) {
		this.#often = often;
		this.#clock = clock;
	}

	/** Of an answer that is given again: it is counted where the rendition is being counted, and that is all. */
	askedAgain(key: string): void {
		const asked = this.#asked.get(key);
		if (asked) asked.times++;
	}

	/** Counts once more, and says whether it has become often. */
	isOften(key: string): boolean {
		if (this.#often === 0) return false;
		const nowMs = this.#clock.now();
		const known = this.#asked.use(key);
		const asked = known && nowMs - known.sinceMs < DAY_MS ? known : { times: 0, sinceMs: nowMs };
		asked.times++;
		if (asked !== known) this.#asked.set(key, asked);
		return asked.times >= this.#often;
	}
}
