/**
 * Waits for `work` until the signal aborts, then rejects with the signal's reason, `graceMs` later. The work itself goes on:
 * whoever started it ends it.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
	return new Promise((resolve, reject) => {
		let timer: ReturnType<typeof setTimeout> | undefined;
		const giveUp = () => {
			if (graceMs === 0) reject(signal.reason);
			else timer = setTimeout(() => reject(signal.reason), graceMs);
		};
		const settled = () => {
			signal.removeEventListener("abort", giveUp);
			clearTimeout(timer);
		};
		if (signal.aborted) giveUp();
		else signal.addEventListener("abort", giveUp, { once: true });
		work.finally(settled).then(resolve, reject);
	});
}
