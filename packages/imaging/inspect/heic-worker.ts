import { readFile, writeFile } from "node:fs/promises";
import { describeJpeg, EXIF_MARK, MAX_PAYLOAD } from "../jpeg/segments.ts";
import { copyrightExif, uprightExif } from "../metadata/exif.ts";
import { sharp } from "../sharp-settings.ts";
import { wordsOf } from "./decoder-words.ts";
import { decodeHeic, heapBytes, Refusal, ready } from "./libheif.ts";

/*
 * The program of a child process, started by heic.ts. A process and not a thread: Bun cannot end a Worker that is busy in WebAssembly,
 * and here neither a hang, a crash nor the memory of a large picture reaches the service.
 */

export interface HeicTask {
	readonly path: string;
	/** The path that the JPEG is written to. */
	readonly jpegPath: string;
	readonly maxPixels: number;
}

export type HeicAnswer =
	/** The size is that of the upright picture. */
	| { readonly kind: "converted"; readonly width: number; readonly height: number; readonly heapBytes: number }
	| { readonly kind: "refused"; readonly reason: string }
	/** This process is in no state to go on. */
	| { readonly kind: "broken"; readonly reason: string };

/** The file is about to be the only copy: near-lossless, colour at full resolution. */
const QUALITY = 94;

async function convert({ path, jpegPath, maxPixels }: HeicTask): Promise<HeicAnswer> {
	await ready;
	const file = await readFile(path);
	const { exif, icc, xmp } = await sharp(file).metadata();
	const { width, height, channels, pixels } = decodeHeic(file, maxPixels);
	// JPEG has no transparency; white is what the transform host fills with as well.
	const jpeg = await sharp(pixels, { raw: { width, height, channels }, limitInputPixels: false })
		.flatten({ background: "#ffffff" })
		.jpeg({ quality: QUALITY, chromaSubsampling: "4:4:4" })
		.toBuffer();
	// The container's rotation has been applied, and the EXIF of phones repeats it: left alone it would be applied twice.
	const upright = exif === undefined ? undefined : fitting(uprightExif(exif));
	await writeFile(jpegPath, describeJpeg(jpeg, { exif: upright, icc, xmp }));
	return { kind: "converted", width, height, heapBytes: heapBytes() };
}

/** Only maker notes and thumbnails make a block larger than one segment; then the notice is what must survive. */
function fitting(exif: Uint8Array): Uint8Array | undefined {
	return exif.length <= MAX_PAYLOAD - EXIF_MARK.length ? exif : copyrightExif(exif);
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
