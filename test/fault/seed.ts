import type fc from "fast-check";

/* Random tests here explore: every run draws anew, prints what it drew from when it fails, and SVC_TEST_SEED repeats it. */

export const seed = Number(process.env.SVC_TEST_SEED ?? crypto.getRandomValues(new Uint32Array(1))[0]);

/** For `fc.assert`, whose own report of a failure names the seed. */
export function runs(count: number): fc.Parameters<unknown> {
	return { numRuns: count, ...(process.env.SVC_TEST_SEED !== undefined && { seed: seed | 0 }) };
}

/** Repeatable chance (mulberry32). Two dice of the same seed and turn fall alike, whatever was drawn in between. */
export class Dice {
	#state: number;

	constructor(from: number, turn = 0) {
		this.#state = (from ^ Math.imul(turn + 1, 0x9e3779b1)) >>> 0;
	}

	/** A whole number from 0 up to and without `bound`. */
	below(bound: number): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
	}

	chance(share: number): boolean {
		return this.below(10_000) < share * 10_000;
	}

	pick<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
		return choices[this.below(choices.length)] as T;
	}

	bytes(length: number): Uint8Array<ArrayBuffer> {
		return Uint8Array.from({ length }, () => this.below(256));
	}

	/** Letters of the given alphabet. */
	text(length: number, alphabet: string): string {
		return Array.from({ length }, () => this.pick([...alphabet])).join("");
	}
}
