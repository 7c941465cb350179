import { Failure } from "@svc/base/failure";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Clock } from "@svc/base/ports";

const FIRST_MS = 10 * 60_000;
const LONGEST_MS = 24 * 60 * 60_000;
/** A form is impossible once it has cost so many workers their life. */
const MOST_LOSSES = 2;
/** How many forms are remembered: some hundred bytes each. */
const MOST = 10_000;

interface Known {
	losses: number;
	/** How often it has been found impossible. */
	times: number;
	untilMs: number;
}

/**
 * Forms of images that cannot be made: each try costs seconds and a worker, and the next one would cost as much. They are forgotten with the
 * process, since another release may be able to make them, and a replaced image has another key.
 */
export class ImpossibleForms {
	readonly #clock: Clock;
	/** By key of the rendition, the one that was lost longest ago first. */
	readonly #known = new LeastRecent<string, Known>(MOST);

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get size(): number {
		return this.#known.size;
	}

	/** @throws Failure `media_failed` while it is no use to try */
	requirePossible(key: string): void {
		const known = this.#known.get(key);
		if (known && known.untilMs > this.#clock.now()) throw impossible();
	}

	/** A form that has lost its second worker is impossible: for ten minutes, and from then on twice as long each time. */
	lost(key: string, workers: number): void {
		const known = this.#known.get(key) ?? { losses: 0, times: 0, untilMs: 0 };
		this.#known.set(key, known);
		known.losses += workers;
		if (known.losses >= MOST_LOSSES) {
			known.untilMs = this.#clock.now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** known.times);
			known.times++;
			known.losses = 0;
		}
	}

	made(key: string): void {
		this.#known.delete(key);
	}
}

function impossible(): Failure {
	return Failure.saying(
		"media_failed",
		"This form of the image takes more than can be spent on one picture; ask for a smaller or a simpler one.",
	);
}
