import { threadMs } from "./thread-time.ts";

/**
 * Looks at the event loop from now on, at each of its turns. Returns what tells the longest turn since it was last asked, in milliseconds of
 * processor time: so long, and no longer for what other programs do, nothing else of this process could run.
 */
export function watchStretches(): () => number {
	let [longestMs, lastMs] = [0, threadMs()];
	const look = () => {
		const nowMs = threadMs();
		longestMs = Math.max(longestMs, nowMs - lastMs);
		lastMs = nowMs;
		setImmediate(look);
	};
	setImmediate(look);
	return () => {
		const told = longestMs;
		longestMs = 0;
		return told;
	};
}

/** Runs `work`, and says for how many milliseconds of processor time nothing else of this process could run at once. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
	let [longestMs, lastMs, isOver] = [0, threadMs(), false];
	const look = () => {
		const nowMs = threadMs();
		longestMs = Math.max(longestMs, nowMs - lastMs);
		lastMs = nowMs;
		if (!isOver) setImmediate(look);
	};
	setImmediate(look);
	await work();
	isOver = true;
	look();
	return longestMs;
}
