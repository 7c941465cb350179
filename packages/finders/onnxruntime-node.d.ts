/* The part that is used here of a package that only those install who bring a model of their own. */
declare module "onnxruntime-node" {
	interface ValueMetadata {
		readonly isTensor: boolean;
		/** A name stands for any length. */
		readonly shape?: readonly (number | string)[];
		readonly type?: string;
	}

	export class Tensor {
		constructor(type: "float32", data: Float32Array, dims: readonly number[]);
		readonly type: string;
		readonly data: unknown;
		readonly dims: readonly number[];
	}

	interface SessionOptions {
		readonly executionProviders: readonly string[];
		readonly intraOpNumThreads: number;
		/** Keeps what it allocated for the next run; without it a run allocates anew. */
		readonly enableCpuMemArena: boolean;
	}

	export class InferenceSession {
		static create(path: string, options: SessionOptions): Promise<InferenceSession>;
		readonly inputNames: readonly string[];
		readonly outputNames: readonly string[];
		readonly inputMetadata: readonly ValueMetadata[];
		run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
	}
}
