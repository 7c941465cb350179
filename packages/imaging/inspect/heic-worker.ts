import { readFile, writeFile } from "node:fs/promises";
import { sharp } from "../sharp-settings.ts";
import { wordsOf } from "./decoder-words.ts";
import { type HeicMaster, heicMaster } from "./heic-master.ts";
import { decodeHeic, heapBytes, Refusal, ready } from "./libheif.ts";

/*
 * The program of a child process, started by heic.ts. A process and not a thread: Bun cannot end a Worker that is busy in WebAssembly,
 * and here neither a hang, a crash nor the memory of a large picture reaches the service.
 */

export interface HeicTask {
	readonly path: string;
	/** The path that the JPEG or PNG is written to. */
	readonly masterPath: string;
	readonly maxPixels: number;
}

export type HeicAnswer =
	/** The size is that of the upright picture. */
	| {
			readonly kind: "converted";
			readonly format: HeicMaster["format"];
			readonly width: number;
			readonly height: number;
			readonly heapBytes: number;
	  }
	| { readonly kind: "refused"; readonly reason: string }
	/** This process is in no state to go on. */
	| { readonly kind: "broken"; readonly reason: string };

async function convert({ path, masterPath, maxPixels }: HeicTask): Promise<HeicAnswer> {
	await ready;
	const file = await readFile(path);
	const descriptions = await sharp(file).metadata();
	const picture = decodeHeic(file, maxPixels);
	const { format, bytes } = await heicMaster(picture, descriptions);
	await writeFile(masterPath, bytes);
	return { kind: "converted", format, width: picture.width, height: picture.height, heapBytes: heapBytes() };
}

async function answer(task: HeicTask): Promise<HeicAnswer> {
	try {
		return await convert(task);
	} catch (error) {
		if (error instanceof Refusal) return { kind: "refused", reason: error.message };
		return { kind: "broken", reason: wordsOf(error) };
	}
}

process.on("message", async (task: HeicTask) => {
	process.send?.(await answer(task));
});
// A signal to the whole group means that the service drains; it ends this process when it needs it no more.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("disconnect", () => process.exit(0));
