/** What is told of has been so in the last one to two of these. */
const WINDOW_MS = 30_000;

/** A turn of the event loop that a request has to wait for. */
export interface RequestWaits {
	/** Waits for it, and notes how long that was. */
	note(turn: Promise<void>): Promise<void>;
	/** The longest wait of the last half to full minute in seconds, that of requests which still wait included; 0 where none had to. */
	longestSeconds(): number;
}

/** How long requests wait before they are begun. Probes pass that line, so that nothing else would tell of it. @param nowMs never goes back */
export function requestWaits(nowMs: () => number = () => performance.now()): RequestWaits {
	/** When each that waits has come, the first one first. */
	const waiting = new Set<{ readonly sinceMs: number }>();
	let window = { startedMs: nowMs(), longestMs: 0, beforeMs: 0 };

	function current(): typeof window {
		const now = nowMs();
		const age = now - window.startedMs;
		if (age >= WINDOW_MS) {
			window = { startedMs: now, longestMs: 0, beforeMs: age < 2 * WINDOW_MS ? window.longestMs : 0 };
		}
		return window;
	}

	return {
		async note(turn) {
			const one = { sinceMs: nowMs() };
			waiting.add(one);
			try {
				await turn;
			} finally {
				waiting.delete(one);
				const latest = current();
				latest.longestMs = Math.max(latest.longestMs, nowMs() - one.sinceMs);
			}
		},
		longestSeconds() {
			const { longestMs, beforeMs } = current();
			const [first] = waiting;
			const stillMs = first === undefined ? 0 : nowMs() - first.sinceMs;
			return Math.max(longestMs, beforeMs, stillMs) / 1_000;
		},
	};
}
