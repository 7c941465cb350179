/** What a piece of work is expected to take, before it begins: from the facts of a header, never from decoding. */
export interface Price {
	/** Memory above that of a worker at rest. */
	readonly bytes: number;
	/** Milliseconds of processor time, user and system. */
	readonly cpuMs: number;
}

const MIB = 1_024 ** 2;

/** Enough to read the header of a file that has just come and to decode most of them; where it is not, the header says so. */
export const UPLOAD: Price = { bytes: 64 * MIB, cpuMs: 200 };
