import { setImmediate } from "node:timers/promises";

/** These are a few milliseconds of work. */
const CHUNK_PIXELS = 250_000;

/** Goes through `count` pixels from the first to the last; others get their turn in between. */
export async function inChunks(count: number, work: (from: number, to: number) => void): Promise<void> {
	for (let from = 0; from < count; from += CHUNK_PIXELS) {
		work(from, Math.min(count, from + CHUNK_PIXELS));
		await setImmediate();
	}
}
