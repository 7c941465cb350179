/** Tries before a job has failed, counted from when it last got further. */
export const ATTEMPTS = 8;

const FIRST_MS = 1_000;
const LONGEST_MS = 600_000;
const FACTOR = 4;

/** How long to wait after the try of this number, from 1. `chance` lies in [0, 1): what failed together does not come back together. */
export function backoffMs(attempt: number, chance: number): number {
	const full = Math.min(LONGEST_MS, FIRST_MS * FACTOR ** (attempt - 1));
	return Math.round(full * (0.5 + chance / 2));
}
