/**
 * The limit of a test in milliseconds: for a run that hangs, not for one that is slow. It grows with the size that was asked for, and leaves a
 * busy machine many times of what an idle one needs.
 * @param size how many of something the test does
 * @param eachMs what one of them may take on a busy machine
 */
export function limitMs(size: number, eachMs: number): number {
	return 180_000 + size * eachMs;
}
