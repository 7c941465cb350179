/** Counts what may happen only so often; for all processes of a deployment, and over restarts. */
export interface ThrottleStore {
	/** Counts one more in a window that begins with its first one; false when `limit`, at least 1, has been reached in it. */
	take(bucket: string, limit: number, windowMs: number, nowMs: number): Promise<boolean>;
}
