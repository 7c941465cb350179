/** What a piece of work is expected to take, before it begins: from the facts of a header, never from decoding. */
export interface Price {
	/** Memory above that of a worker at rest. */
	readonly bytes: number;
	/** Milliseconds of processor time, user and system. */
	readonly cpuMs: number;
}
