import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { type LiteRt, loadLiteRt, Tensor } from "@litertjs/core";

/** A model in memory. Its inputs and outputs are numbers in the order of the model's own axes. */
export interface Model {
	run(input: Float32Array): Promise<Float32Array[]>;
}

const require = createRequire(import.meta.url);
let runtime: Promise<LiteRt> | undefined;

/** `file` names one of the models beside this program, and `shape` its only input. */
export async function openModel(file: string, shape: readonly number[]): Promise<Model> {
	runtime ??= load();
	const bytes = new Uint8Array(await readFile(fileURLToPath(new URL(`./models/${file}`, import.meta.url))));
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
 * The runtime is written for browsers and loads its WebAssembly the way a web worker loads a script. What it looks for is taken away
 * again, as other libraries would take this process for a web worker.
 */
async function load(): Promise<LiteRt> {
	const page = globalThis as { self?: unknown; importScripts?: (path: string) => void; ModuleFactory?: unknown };
	page.self ??= page;
	page.importScripts = (path) => {
		page.ModuleFactory = scriptAt(path);
	};
	try {
		return await loadLiteRt(join(dirname(require.resolve("@litertjs/core")), "../wasm/"));
	} finally {
		delete page.importScripts;
	}
}

/** What a CommonJS script exports. Its package says that all in it are modules of the language, so `require` would read it as one. */
function scriptAt(path: string): unknown {
	const module = { exports: {} };
	const names = ["module", "exports", "require", "__filename", "__dirname"];
	const script = compileFunction(readFileSync(path, "utf8"), names, { filename: path });
	script(module, module.exports, createRequire(path), path, dirname(path));
	return module.exports;
}
