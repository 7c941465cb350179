import { join } from "node:path";
import sharp from "sharp";
import { corpusDir } from "../support/corpus.ts";
import { noise } from "../support/pictures.ts";

/* Real pictures where SVC_TEST_CORPUS is set; otherwise noise, which costs a decoder more than any photograph. */

export const pictureNote = corpusDir
	? "Pictures: a photograph of the corpus."
	: "Pictures: generated noise, since SVC_TEST_CORPUS is not set; photographs cost less.";

/** 4032×3024. */
export async function twelveMegapixels(): Promise<Buffer<ArrayBuffer>> {
	if (!corpusDir) return noise(4_032, 3_024);
	return Buffer.from(await Bun.file(join(corpusDir, "jpeg_12mp_camera.jpg")).arrayBuffer());
}

/** 10400×10400, as a few megabytes: as many pixels as an upload may have. */
export async function hugeJpeg(): Promise<Buffer<ArrayBuffer>> {
	const huge = sharp(await twelveMegapixels())
		.resize(10_400, 10_400, { fit: "fill" })
		.jpeg({ quality: 50 });
	return (await huge.toBuffer()) as Buffer<ArrayBuffer>;
}

/** What one comment segment of a JPEG can hold beside its marker and length. */
const SEGMENT_BYTES = 65_533;
const SEGMENT_FRAME_BYTES = 4;

/** A JPEG of exactly `bytes`, at least 20,000,000: 23 megapixels at the best quality that fits, filled up with comments. */
export async function heavyJpeg(bytes: number, progressive: boolean): Promise<Buffer<ArrayBuffer>> {
	const master = await twelveMegapixels();
	let picture = await resized(master, 5_600, 100, progressive);
	for (let quality = 98; picture.length > bytes; quality -= 2) {
		picture = await resized(master, 5_600, quality, progressive);
	}
	return filledUp(picture, bytes);
}

function resized(
	picture: Uint8Array,
	width: number,
	quality: number,
	progressive = false,
): Promise<Buffer<ArrayBuffer>> {
	const jpeg = sharp(picture).autoOrient().resize(width).jpeg({ quality, progressive, chromaSubsampling: "4:4:4" });
	return jpeg.toBuffer() as Promise<Buffer<ArrayBuffer>>;
}

function filledUp(jpeg: Buffer, bytes: number): Buffer<ArrayBuffer> {
	const comments: Buffer[] = [];
	for (let missing = bytes - jpeg.length; missing > 0; ) {
		// A rest that is too short for a segment of its own would be left over.
		const most = missing > SEGMENT_BYTES + SEGMENT_FRAME_BYTES ? missing - SEGMENT_FRAME_BYTES : missing;
		const comment = Buffer.alloc(Math.min(SEGMENT_BYTES + SEGMENT_FRAME_BYTES, most));
		comment.writeUInt16BE(0xfffe, 0);
		comment.writeUInt16BE(comment.length - 2, 2);
		comments.push(comment);
		missing -= comment.length;
	}
	return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]);
}
