/** Runs `work`, and says for how many milliseconds nothing else of this process could run at once. */
export async function longestStretch(work: () => Promise<unknown>): Promise<number> {
	let [longestMs, lastMs, isOver] = [0, performance.now(), false];
	const look = () => {
		longestMs = Math.max(longestMs, performance.now() - lastMs);
		lastMs = performance.now();
		if (!isOver) setImmediate(look);
	};
	setImmediate(look);
	await work();
	isOver = true;
	look();
	return longestMs;
}
