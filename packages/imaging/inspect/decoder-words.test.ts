import { beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeHeic, ready } from "../heif/libheif.ts";
import { sharp } from "../sharp-settings.ts";
import { blameFor, wordsOf } from "./decoder-words.ts";

const corpus = process.env.SVC_TEST_CORPUS;

/** What is done to a file of the corpus: cut to a share of its length, or one byte overwritten. */
type Damage = { readonly cut: number } | { readonly at: number; readonly to: number };

/** A word of the list, and a file that makes the decoder say it. */
const FILES: readonly (readonly [string, string, Damage])[] = [
	["Input buffer contains unsupported image format", "jpeg_progressive.jpg", { at: 0, to: 172 }],
	["Input buffer has corrupt header:", "portrait_astronaut.png", { at: 26, to: 1 }],
	["VipsJpeg: premature end of JPEG image", "jpeg_progressive.jpg", { cut: 0.02 }],
	["VipsJpeg: Corrupt JPEG data: premature end of data segment", "jpeg_progressive.jpg", { at: 21_095, to: 255 }],
	["VipsJpeg: Corrupt JPEG data: 69 extraneous bytes before", "jpeg_progressive.jpg", { at: 20, to: 239 }],
	["VipsJpeg: Bogus marker length", "jpeg_progressive.jpg", { at: 3, to: 192 }],
	["VipsJpeg: Bogus sampling factors", "jpeg_cmyk_noprofile.jpg", { at: 170, to: 69 }],
	["VipsJpeg: Unsupported marker type 0x79", "jpeg_progressive.jpg", { at: 6_064, to: 255 }],
	["VipsJpeg: Invalid JPEG file structure: SOS before SOF", "jpeg_progressive.jpg", { at: 4, to: 169 }],
	["VipsJpeg: Invalid component ID 3 in SOS", "jpeg_cmyk_noprofile.jpg", { at: 172, to: 244 }],
	["VipsJpeg: JPEG datastream contains no image", "jpeg_progressive.jpg", { at: 3, to: 217 }],
	["VipsJpeg: Huffman table 0x04 was not defined", "jpeg_progressive.jpg", { at: 215, to: 64 }],
	["VipsJpeg: Quantization table 0x00 was not defined", "jpeg_progressive.jpg", { at: 20, to: 239 }],
	["vipspng: libpng read error", "portrait_astronaut.png", { cut: 0.02 }],
	["webp: unable to parse image", "alpha.webp", { cut: 0.02 }],
	["webp2vips: unable to read pixels", "alpha.webp", { at: 68_197, to: 255 }],
	["gifload_buffer: Unexpected end of GIF source data", "anim_42.gif", { cut: 0.02 }],
	["gifload_buffer: Invalid frame data", "anim_42.gif", { at: 78_205, to: 73 }],
	["gifload_buffer: no frames in GIF", "anim_42.gif", { at: 13, to: 59 }],
	["source: bad seek to", "photo.avif", { cut: 0.5 }],
	["heif: Invalid input: Unexpected end of file", "photo.avif", { cut: 0.02 }],
	["heif: Invalid input: Unspecified: Corrupt frame detected", "photo.avif", { at: 17_783, to: 95 }],
	["heif: Invalid input: Security limit exceeded", "photo.avif", { at: 308, to: 8 }],
	["heif: Unsupported feature: Unsupported data version", "photo.avif", { at: 170, to: 81 }],
	["heifload: bad dimensions", "alpha.heic", { at: 1_022, to: 13 }],
	["heifload_buffer: undefined bits per pixel", "truncated60.heic", { at: 155, to: 46 }],
];

/** The same of the decoder of HEIC, which has a process of its own. */
const HEIC_FILES: readonly (readonly [string, string, Damage])[] = [
	["heif: Invalid input: Unexpected end of file", "alpha.heic", { cut: 0.3 }],
	["heif: Invalid input: Missing grid images", "truncated60.heic", { at: 155, to: 46 }],
	["heif: Invalid input: No or invalid primary item", "alpha.heic", { at: 58, to: 103 }],
	["heif: Unsupported feature: Unsupported data version", "truncated60.heic", { at: 2_464, to: 196 }],
];

async function damaged(file: string, damage: Damage): Promise<Buffer> {
	const bytes = await readFile(join(corpus ?? "", file));
	if ("cut" in damage) return bytes.subarray(0, Math.floor(bytes.length * damage.cut));
	bytes[damage.at] = damage.to;
	return bytes;
}

async function said(decode: () => unknown): Promise<string> {
	try {
		await decode();
		return "nothing";
	} catch (error) {
		return wordsOf(error);
	}
}

async function decodeWhole(bytes: Buffer): Promise<void> {
	const { pages = 1 } = await sharp(bytes, { limitInputPixels: false }).metadata();
	await sharp(bytes, { failOn: "error", limitInputPixels: false, animated: pages > 1 })
		.raw()
		.toBuffer();
}

describe.skipIf(corpus === undefined)("a damaged file is the file's fault (needs SVC_TEST_CORPUS)", () => {
	beforeAll(() => ready);

	test.each(FILES)("%s", async (word, file, damage) => {
		const words = await said(async () => decodeWhole(await damaged(file, damage)));
		expect(words).toContain(word);
		expect(blameFor(words)).toBe("file");
	});

	test.each(HEIC_FILES)("%s, of a HEIC", async (word, file, damage) => {
		const bytes = await damaged(file, damage);
		const words = await said(() => decodeHeic(bytes, 50_000_000));
		expect(words).toStartWith(word);
		expect(blameFor(words)).toBe("file");
	});

	test("more pixels than are allowed", async () => {
		const words = await said(async () => decodeHeic(await readFile(join(corpus ?? "", "alpha.heic")), 1_000));
		expect(words).toBe("heif: has 262144 pixels");
		expect(blameFor(words)).toBe("file");
	});
});

test.each([
	"EMFILE: too many open files, open '/data/received/1'",
	"Error: ENOSPC: no space left on device, write",
	"EIO: i/o error, read",
	"ENOENT: no such file or directory, open '/data/received/1'",
	"/data/received/1: unable to open for read\nsystem error: Too many open files",
	"source: bad seek to 80775\nvips__seek: unable to seek\nsystem error: Input/output error\nheif: Invalid input: Unexpected end of file",
	"Input file is missing: /data/received/1",
	"vips_tracked: out of memory --- size == 12MB",
	"VipsJpeg: Insufficient memory (case 4)",
	"heif: Memory allocation error: Unspecified (6.0)",
	"RuntimeError: Aborted(OOM)",
	"timeout: 42% complete",
	"no answer in 60000 ms",
	"ended by SIGKILL",
	"heif: Error while loading plugin: Support for this compression format has not been built in: HEVC (11.6003)",
])("is never the file's fault: %s", (words) => {
	expect(blameFor(words)).toBe("machine");
});

test.each([
	// What libvips says of a file that it reads itself is also what it says when it could not open it.
	"Input file contains unsupported image format",
	"Unknown error",
	"",
	"VipsJpeg: the dog ate it",
])("words that are not known blame nobody: %p", (words) => {
	expect(blameFor(words)).toBe("unknown");
});

test("a security limit is the file's fault, although it comes under the heading of memory", () => {
	expect(blameFor("heif: Memory allocation error: Security limit exceeded: too large (6.1000)")).toBe("file");
});
