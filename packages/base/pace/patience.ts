import { Failure } from "../failure.ts";

/* Waiting with a limit. The work itself goes on: its caller has to end it. */

/** Time in which the process was kept from running counts as a part of the limit at most: what is ready by then has not been waited for. */
const PARTS = 4;

/**
 * Waits for `work`, but no longer than `limitMs`.
 * @param toFailure makes the Failure from the work's error, or from undefined when the time is over
 * @throws Failure which is the work's own where it threw one
 */
export async function inTime<T>(
	work: Promise<T>,
	limitMs: number,
	toFailure: (cause?: unknown) => Failure,
): Promise<T> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	// Every call with a key comes through here, and a race costs less than a signal.
	const late = new Promise<never>((_, reject) => {
		let left = PARTS;
		const wait = () => {
			timer = setTimeout(() => (--left > 0 ? wait() : reject(toFailure())), limitMs / PARTS);
		};
		wait();
	});
	try {
		return await Promise.race([work, late]);
	} catch (cause) {
		throw cause instanceof Failure ? cause : toFailure(cause);
	} finally {
		clearTimeout(timer);
	}
}

/** Waits for `work` until the signal aborts, then rejects with the signal's reason, `graceMs` later. */
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
