import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type LiteRt, loadLiteRt, Tensor } from "@litertjs/core";

/** A model in memory. Its inputs and outputs are numbers in the order of the model's own axes. */
export interface Model {
	run(input: Float32Array): Promise<Float32Array[]>;
}

const require = createRequire(import.meta.url);
let runtime: Promise<LiteRt> | undefined;

/** `file` names a file inside of an npm package, and `shape` the model's only input. */
export async function openModel(file: string, shape: readonly number[]): Promise<Model> {
	runtime ??= load();
	const bytes = new Uint8Array(await readFile(require.resolve(file)));
	const model = await (await runtime).loadAndCompile(bytes, { accelerator: "wasm" });
	return {
		run: async (numbers) => {
			const input = new Tensor(numbers, [...shape]);
			const outputs = await model.run(input);
			// A copy: the runtime's memory is freed, and moves when it grows.
			const results = outputs.map((output) => Float32Array.from(output.toTypedArray()));
			for (const tensor of [input, ...outputs]) tensor.delete();
			return results;
		},
	};
}

/**
 * The runtime is written for browsers and loads its WebAssembly the way a web worker loads a script, which on a server is `require`.
 * What it looks for is taken away again, as other libraries would take this process for a web worker.
 */
async function load(): Promise<LiteRt> {
	const page = globalThis as { importScripts?: (path: string) => void; ModuleFactory?: unknown };
	page.importScripts = (path) => {
		page.ModuleFactory = require(path);
	};
	try {
		return await loadLiteRt(join(dirname(require.resolve("@litertjs/core")), "../wasm/"));
	} finally {
		delete page.importScripts;
	}
}
