import type { OutputFormat } from "@svc/base/enumerations";

/** The weight of one job in the average. */
const WEIGHT = 1 / 16;
/** Pictures that are made to be slow must not make everybody's dear, nor those that are all sky make them cheap. */
const LEAST = 0.5;
const MOST = 2;

/**
 * How many times the expected processor time the work of each format has taken lately, where this machine and its visitors' pictures differ from those
 * that the factors were seen with. It is processor time: a busy machine makes nothing dear.
 */
export class Corrections {
	readonly #factors = new Map<OutputFormat, number>();

	/** From 0.5 to 2. */
	readonly of = (format: OutputFormat): number => Math.min(MOST, Math.max(LEAST, this.#factors.get(format) ?? 1));

	/** `expectedMs` is what was expected with the correction of that moment. */
	learn(format: OutputFormat, expectedMs: number, tookMs: number): void {
		const now = this.of(format);
		const seen = (tookMs / expectedMs) * now;
		// A few milliseconds are no measure: the kernel counts in steps of ten.
		if (tookMs < TICK_MS && expectedMs < TICK_MS) return;
		this.#factors.set(format, now + (Math.min(seen, MOST * 2) - now) * WEIGHT);
	}
}

const TICK_MS = 20;
