import { readFile, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

/* As much of the global `Bun` as tests use that run on other runtimes, where no library must take it for Bun's. */

export const Bun = {
	sleep: (milliseconds: number) => setTimeout(milliseconds),
	file: (path: string | URL) => ({
		text: () => readFile(path, "utf8"),
		json: async () => JSON.parse(await readFile(path, "utf8")) as unknown,
	}),
	write: (path: string | URL, content: string | Uint8Array) => writeFile(path, content),
	/** No tool is there: tests that need one are Bun's. */
	which: () => null,
};
