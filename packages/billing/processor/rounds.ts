/** When this process last did what is due by the clock, and what it found. */
export interface DueRounds {
	/** Whether so much time has passed since the last time that it was due; counts as done from then on. */
	due(name: string, everyMs: number, nowMs: number): boolean;
	/** How many differences from the processor the last comparison found. */
	drifts: number;
}

export function rounds(): DueRounds {
	const last = new Map<string, number>();
	return {
		drifts: 0,
		due(name, everyMs, nowMs) {
			const lastMs = last.get(name);
			// A clock that was set back makes everything due.
			if (lastMs !== undefined && Math.abs(nowMs - lastMs) < everyMs) return false;
			last.set(name, nowMs);
			return true;
		},
	};
}
