/*
 * What a service looks after again and again is mostly what its clients have asked for. While nobody asks it looks seldom: an idle service shall
 * leave its processor alone.
 */

/** How long a service is awake after it was last asked for something. */
const AWAKE_MS = 10_000;
/** How often it looks then. */
const ASLEEP_MS = 5_000;

interface PacedTimersOptions {
	/** In milliseconds. */
	readonly now: () => number;
	/** Calls `work` once; returns what takes that back. */
	readonly after: (milliseconds: number, work: () => void) => () => void;
}

export interface PacedTimers {
	/**
	 * Calls `work` again and again, with the time at which it was due, until the function that it returns is called: every so many milliseconds while the service is
	 * awake, and every five seconds at the soonest while it is not.
	 */
	every(milliseconds: number, work: (dueMs: number) => void): () => void;
	/** Somebody has come: what waits for longer than while awake waits no more. */
	wake(): void;
}

export function pacedTimers({ now, after }: PacedTimersOptions): PacedTimers {
	/** Of those that wait for longer, what lets them wait anew. */
	const asleep = new Set<() => void>();
	let wokenMs = now();

	return {
		every(milliseconds, work) {
			let cancel: () => void = () => undefined;
			const wait = () => {
				const sleeps = milliseconds < ASLEEP_MS && now() - wokenMs > AWAKE_MS;
				const nowMs = now();
				// All that sleep wake in one turn.
				const dueMs = sleeps ? Math.ceil(nowMs / ASLEEP_MS + 1) * ASLEEP_MS : nowMs + milliseconds;
				if (sleeps) asleep.add(again);
				cancel = after(dueMs - nowMs, () => {
					asleep.delete(again);
					wait();
					work(dueMs);
				});
			};
			const again = () => {
				cancel();
				wait();
			};
			wait();
			return () => {
				asleep.delete(again);
				cancel();
			};
		},
		wake() {
			wokenMs = now();
			if (asleep.size === 0) return;
			const waiting = [...asleep];
			asleep.clear();
			for (const again of waiting) again();
		},
	};
}

/** Those of this process. */
export const timers = pacedTimers({
	now: () => performance.now(),
	after(milliseconds, work) {
		const timer = setTimeout(work, milliseconds);
		return () => clearTimeout(timer);
	},
});
