import { describe, expect, test } from "bun:test";
import { bytesOf, drawn, masterOf, rendered } from "@svc/test/support/rendering";
import { concat, viewOf } from "../bytes.ts";
import { describeJpeg } from "../jpeg/segments.ts";
import { described } from "../render/container.ts";
import { sharp } from "../sharp-settings.ts";
import { strip } from "./strip.ts";

const SIZE = { width: 24, height: 16 };
const [BYTE, ASCII, SHORT, LONG] = [1, 2, 3, 4];

/** One entry: an orientation of this type and count, its value at the end where it does not fit into the entry. */
function block(little: boolean, type: number, count: number, value: Uint8Array): Uint8Array {
	const tiff = new Uint8Array(26);
	const view = viewOf(tiff);
	tiff.set(little ? [0x49, 0x49] : [0x4d, 0x4d]);
	view.setUint16(2, 42, little);
	view.setUint32(4, 8, little);
	view.setUint16(8, 1, little);
	view.setUint16(10, 0x0112, little);
	view.setUint16(12, type, little);
	view.setUint32(14, count, little);
	if (value.length > 4) view.setUint32(18, tiff.length, little);
	else tiff.set(value, 18);
	return value.length > 4 ? concat([tiff, value]) : tiff;
}

/** Six, in the ways in which writers were seen to store it or a decoder can read it. */
const WAYS: readonly [string, Uint8Array][] = [
	["as the standard says", block(true, SHORT, 1, Uint8Array.of(6, 0))],
	["as a long number", block(true, LONG, 1, Uint8Array.of(6, 0, 0, 0))],
	["as a long number, big-endian", block(false, LONG, 1, Uint8Array.of(0, 0, 0, 6))],
	["as a byte", block(false, BYTE, 1, Uint8Array.of(6))],
	["twice", block(true, SHORT, 2, Uint8Array.of(6, 0, 6, 0))],
	["three times", block(true, SHORT, 3, Uint8Array.of(6, 0, 6, 0, 6, 0))],
	["as text", block(true, ASCII, 2, Uint8Array.of(0x36, 0))],
];

const picture = drawn(SIZE.width, SIZE.height, (x) => [x * 10, 0, 0]);
const jpeg = await bytesOf(picture.clone().jpeg());
const png = await bytesOf(picture.clone().png());

describe.each(WAYS)("an orientation that is stored %s", (_, exif) => {
	test.each([
		["jpg", new Uint8Array(describeJpeg(jpeg, { exif, xmp: undefined, icc: undefined }))],
		["png", new Uint8Array(described(png, "png", { exif }, SIZE))],
	] as const)("turns the %s itself as it turns its renditions", async (format, file) => {
		const decoded = await sharp(file).metadata();
		const served = (await strip(masterOf(file, format))) ?? file;
		expect((await sharp(served).metadata()).autoOrient).toEqual(decoded.autoOrient);
		const { width, height } = await sharp((await rendered(file, "w=16", format)).bytes).metadata();
		expect([width, height]).toEqual(decoded.orientation === 6 ? [16, 24] : [16, 11]);
		// No reader may take it for something else.
		const { exif: kept } = await sharp(served).metadata();
		expect(kept && viewOf(kept).getUint16(kept.length - 14, true)).toBe(decoded.orientation === 6 ? SHORT : undefined);
	});

	test("is gone where the pixels are upright and all else is kept", async () => {
		const file = new Uint8Array(describeJpeg(jpeg, { exif, xmp: undefined, icc: undefined }));
		const { bytes } = await rendered(file, "w=16&metadata=keep", "jpg");
		expect((await sharp(bytes).metadata()).orientation).toBe(1);
	});
});

test("EXIF under a mark that the standard does not know turns neither the picture itself nor its renditions", async () => {
	const file = new Uint8Array(describeJpeg(jpeg, { exif: WAYS[0]?.[1], xmp: undefined, icc: undefined }));
	file[Buffer.from(file).indexOf("Exif") + 5] = 0xff;
	const served = (await strip(masterOf(file, "jpg"))) ?? file;
	expect(Buffer.from(served).includes("Exif")).toBe(false);
	const { width, height } = await sharp((await rendered(file, "w=16", "jpg")).bytes).metadata();
	expect([width, height]).toEqual([16, 11]);
});
