/** A window as it is now. */
interface ThrottleWindow {
	readonly count: number;
	readonly endsMs: number;
}

/** Counts what may happen only so often; for all processes of a deployment, and over restarts. */
export interface ThrottleStore {
	/** Counts one more in a window that begins with its first one; false when `limit`, at least 1, has been reached in it. */
	take(bucket: string, limit: number, windowMs: number, nowMs: number): Promise<boolean>;
	/** Undefined where none has begun, or the last one has ended. */
	find(bucket: string, nowMs: number): Promise<ThrottleWindow | undefined>;
	/** Takes one back that turned out not to count, from the window that it was counted in: a later one owes it nothing. */
	giveBack(bucket: string, endsMs: number): Promise<void>;
}
