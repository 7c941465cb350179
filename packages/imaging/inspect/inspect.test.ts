import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SourceFormat } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import type { Staged } from "@svc/base/ports";
import type { FileHints, Inspected } from "@svc/images/ports";
import { sharp } from "../sharp-settings.ts";
import { sharpInspector } from "./inspect.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const DAMAGED = "is damaged, incomplete or not really of this format";
const CUT_OFF = "is cut off: its end is missing";
const FORMATS: ReadonlySet<SourceFormat> = new Set(["jpg", "png", "gif", "webp", "avif", "heic"]);

const SILENT = { warn: () => undefined };

let dir = "";
let staged = 0;

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-inspect-"));
});
afterAll(async () => {
	await rm(dir, { recursive: true });
});

async function stagedAt(path: string): Promise<Staged> {
	const { size } = await stat(path);
	return { path, bytes: size, sha256: new Uint8Array(32), discard: () => rm(path, { force: true }) };
}

async function stage(chunks: AsyncIterable<Uint8Array>): Promise<Staged> {
	const path = join(dir, `staged-${staged++}`);
	await writeFile(path, chunks);
	return stagedAt(path);
}

const inspectorOf = (mostBytes: number) =>
	sharpInspector({ stage, memory: (_, work) => work(), mostBytes, log: SILENT });
const inspector = inspectorOf(640 * 1_024 ** 2);

async function inspectFile(path: string, hints: Partial<FileHints> = {}): Promise<Inspected> {
	const copy = join(dir, `upload-${staged++}`);
	await copyFile(path, copy);
	return inspector.inspect(
		await stagedAt(copy),
		{ filename: undefined, contentType: undefined, ...hints },
		{ maxBytes: 20_000_000, formats: FORMATS },
	);
}

async function inspect(bytes: Uint8Array, hints: Partial<FileHints> = {}): Promise<Inspected> {
	const path = join(dir, `bytes-${staged++}`);
	await writeFile(path, bytes);
	return inspectFile(path, hints);
}

/** The sentence under `file`, or a note that nothing was refused. */
async function refusal(inspected: Promise<Inspected>): Promise<string> {
	try {
		await inspected;
		return "accepted";
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		expect(error.code).toBe("validation_error");
		return error.details?.file?.join() ?? "not under file";
	}
}

const noise = (width: number, height: number) =>
	sharp({
		create: { width, height, channels: 3, background: "#888", noise: { type: "gaussian", mean: 128, sigma: 30 } },
	});

async function animation(frames: number, format: "gif" | "webp"): Promise<Uint8Array> {
	const pages = await Promise.all(
		Array.from({ length: frames }, (_, index) => {
			// Encoders merge frames that look the same as the one before.
			const background = { r: (index % 2) * 200, g: index % 256, b: 7 };
			return sharp({ create: { width: 8, height: 6, channels: 3, background } })
				.png()
				.toBuffer();
		}),
	);
	const bytes = await sharp(pages, { join: { animated: true } })
		.toFormat(format, { effort: 1 })
		.toBuffer();
	expect((await sharp(bytes).metadata()).pages).toBe(frames);
	return bytes;
}

describe("what is accepted", () => {
	test.each(["jpeg", "png", "webp", "avif", "gif"] as const)(
		"%s, by its bytes whatever it is called",
		async (format) => {
			const bytes = await noise(50, 40).toFormat(format).toBuffer();
			const { master, ...analysis } = await inspect(bytes, { filename: "photo.bmp", contentType: "text/plain" });
			expect(analysis).toEqual({ format: format === "jpeg" ? "jpg" : format, width: 50, height: 40 });
			expect(await readFile(master.path)).toEqual(bytes);
		},
	);

	test.each([1, 2, 3, 4, 5, 6, 7, 8])("width and height are those after orientation %i", async (orientation) => {
		const { width, height } = await inspect(await noise(50, 40).withMetadata({ orientation }).jpeg().toBuffer());
		expect([width, height]).toEqual(orientation < 5 ? [50, 40] : [40, 50]);
	});

	test.each(["gif", "webp"] as const)("a %s of 500 frames, with the size of one", async (format) => {
		const { master, ...analysis } = await inspect(await animation(500, format));
		expect(analysis).toEqual({ format, width: 8, height: 6 });
	});
});

describe("a progressive JPEG of which a sequential copy is decoded", () => {
	const large = async () =>
		await noise(3_200, 3_000).jpeg({ progressive: true, chromaSubsampling: "4:4:4", quality: 60 }).toBuffer();

	test("is kept as it came, and the copy goes", async () => {
		const bytes = await large();
		const before = await readdir(dir);
		const asked = staged;
		const { master, ...analysis } = await inspect(bytes);
		expect(analysis).toEqual({ format: "jpg", width: 3_200, height: 3_000 });
		expect(await readFile(master.path)).toEqual(bytes);
		const after = (await readdir(dir)).filter((name) => !before.includes(name));
		expect(after.filter((name) => name.startsWith("staged"))).toEqual([]);
		// The file, the upload, and a copy.
		expect(staged - asked).toBe(3);
	});

	test("is refused when it is cut short or damaged", async () => {
		const bytes = await large();
		for (const cut of [bytes.subarray(0, bytes.length / 2), bytes.subarray(0, -3), bytes.subarray(0, -1_000)]) {
			expect(await refusal(inspect(cut))).toEndWith(CUT_OFF);
		}
	});

	test("is accepted where its decoder accepts it although it is unusual", async () => {
		const bytes = await large();
		// Bytes that belong to nothing; decoders pass them by.
		expect(await refusal(inspect(Buffer.concat([bytes.subarray(0, -2), Buffer.of(1, 2, 3), bytes.subarray(-2)])))).toBe(
			"accepted",
		);
	});
});

describe("what is refused", () => {
	test.each(["gif", "webp"] as const)("a %s of 501 frames", async (format) => {
		expect(await refusal(inspect(await animation(501, format)))).toBe("has 501 frames; at most 500");
	});

	test.each(["jpeg", "png", "webp", "avif", "gif"] as const)("a %s that was cut short anywhere", async (format) => {
		const bytes = await noise(400, 300).toFormat(format).toBuffer();
		for (const share of [0.2, 0.5, 0.9, 0.99]) {
			const cut = bytes.subarray(0, Math.floor(bytes.length * share));
			expect(await refusal(inspect(cut))).toEndWith(format === "jpeg" ? CUT_OFF : DAMAGED);
		}
	});

	test("a JPEG without its last pixels, although shrinking while loading needs none of its last rows", async () => {
		const bytes = await noise(3_000, 2_000).jpeg().toBuffer();
		expect(await refusal(inspect(bytes))).toBe("accepted");
		expect(await refusal(inspect(bytes.subarray(0, -40)))).toBe(`looks like JPEG but ${CUT_OFF}`);
	});

	test("an AVIF whose last box says that it goes on behind the file, although its decoder takes it", async () => {
		const file = await noise(60, 40).avif().toBuffer();
		const at = file.indexOf("mdat") - 4;
		expect(await refusal(inspect(file))).toBe("accepted");
		file.writeUInt32BE(file.length - at + 1_000, at);
		expect((await sharp(file).raw().toBuffer({ resolveWithObject: true })).info.width).toBe(60);
		expect(await refusal(inspect(file))).toBe(`looks like AVIF but ${DAMAGED}`);
	});

	test("more pixels than are allowed, from the header alone", async () => {
		const background = "#123456";
		const large = sharp({ create: { width: 11_000, height: 10_001, channels: 3, background } });
		expect(await refusal(inspect(await large.png({ compressionLevel: 1 }).toBuffer()))).toBe(
			"has 111 megapixels; at most 110 for PNG",
		);
		const long = sharp({ create: { width: 65_501, height: 1, channels: 3, background } });
		expect(await refusal(inspect(await long.png().toBuffer()))).toBe("is 65501×1 pixels; at most 65500 to a side");
	});

	describe("what could not be decoded in the memory that there is, from the header alone", () => {
		/** The refusal where pictures have so many megabytes. */
		async function refusalWithin(megabytes: number, bytes: Uint8Array, queued: readonly SourceFormat[] = []) {
			const path = join(dir, `within-${staged++}`);
			await writeFile(path, bytes);
			const hints = { filename: undefined, contentType: undefined };
			const rules = { maxBytes: 20_000_000, formats: FORMATS, queued: new Set(queued) };
			return await refusal(inspectorOf(megabytes * 1e6).inspect(await stagedAt(path), hints, rules));
		}
		const plain = (width: number, height: number) =>
			sharp({ create: { width, height, channels: 3, background: "#345" } });

		test("an AVIF, by the resolution of its colours and the depth of its samples; it does not come into the queue either", async () => {
			const avif = (options: { chromaSubsampling?: string; bitdepth?: 8 | 10 }) =>
				plain(2_000, 2_000)
					.avif({ effort: 0, ...options })
					.toBuffer();
			const whole = await avif({ chromaSubsampling: "4:4:4" });
			expect(await refusalWithin(70, whole)).toBe("has 4 megapixels; at most 3 for AVIF of this kind here");
			expect(await refusalWithin(30, whole, ["avif"])).toBe("has 4 megapixels; at most 1 for AVIF of this kind here");
			expect(await refusalWithin(80, whole)).toBe("accepted");
			expect(await refusalWithin(70, await avif({ chromaSubsampling: "4:2:0" }))).toBe("accepted");
			const deep = await avif({ chromaSubsampling: "4:2:0", bitdepth: 10 });
			expect(await refusalWithin(70, deep)).toBe("has 4 megapixels; at most 3 for AVIF of this kind here");
		});

		test("50 megapixels of an AVIF are too many by default, and are not with twice the memory", async () => {
			const claimed = await plain(40, 30).avif({ effort: 0, chromaSubsampling: "4:4:4" }).toBuffer();
			const extent = claimed.indexOf("ispe") + 8;
			claimed.writeUInt32BE(7_000, extent);
			claimed.writeUInt32BE(7_000, extent + 4);
			expect(await refusal(inspect(claimed))).toBe("has 49 megapixels; at most 35 for AVIF of this kind here");
			expect(await refusalWithin(1_342, claimed)).not.toContain("megapixels");
		});

		test("a progressive JPEG of which there can be no sequential copy; where there can be one, it fits", async () => {
			const jpeg = await plain(3_200, 3_000).jpeg({ progressive: true, chromaSubsampling: "4:4:4" }).toBuffer();
			expect(await refusalWithin(60, jpeg)).toBe("accepted");
			expect(await refusalWithin(60, jpeg.subarray(0, -2))).toBe(
				"has 10 megapixels; at most 7 for JPEG of this kind here",
			);
		});

		test.skipIf(!corpus)("a HEIC", async () => {
			const heic = await readFile(join(corpus ?? "", "iphone_grid_p3.heic"));
			expect(await refusalWithin(49, heic)).toEndWith("for HEIC of this kind here");
		});
	});

	test("a progressive JPEG whose coefficients take too much, from the header alone; a baseline one of that size is not", async () => {
		const claiming = async (width: number, height: number, progressive: boolean) => {
			const bytes = await noise(40, 30).jpeg({ progressive, chromaSubsampling: "4:4:4" }).toBuffer();
			const frame = bytes.indexOf(Buffer.of(0xff, progressive ? 0xc2 : 0xc0));
			bytes.writeUInt16BE(height, frame + 5);
			bytes.writeUInt16BE(width, frame + 7);
			return bytes;
		};
		expect(await refusal(inspect(await claiming(10_000, 7_900, true)))).toBe(
			"is a progressive JPEG whose coefficients (2 bytes a sample) take 453 MiB; at most 448. Send it as a baseline JPEG",
		);
		expect(await refusal(inspect(await claiming(10_000, 7_900, false)))).not.toContain("coefficients");
	});

	test.each([
		["", "is empty"],
		["hello", "is not a picture of a known format"],
		["II*\0", "is a TIFF file"],
		["%PDF-1.7", "is a PDF file"],
		["\x89PNG\r\n\x1a\n", "looks like PNG but is damaged"],
		["GIF89a", "looks like GIF but is damaged"],
		["\xff\xd8\xff", "looks like JPEG but is cut off"],
		["RIFF\0\0\0\0WEBP", "looks like WebP but is damaged"],
		["\0\0\0\x18ftypheic\0\0\0\0mif1heic", "looks like HEIC but is damaged"],
	])("%j: %s", async (text, message) => {
		expect(await refusal(inspect(Buffer.from(text, "latin1")))).toStartWith(message);
	});

	test("SVG, BMP and ICO, and the answer says what to send [create.multipart.svg-bmp-ico-rejected]", async () => {
		const svg = '<?xml version="1.0"?><!-- a logo --><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
		const bmp = `BM${"\0".repeat(30)}`;
		const ico = `\0\0\x01\0\x01\0${"\0".repeat(30)}`;
		const messages = await Promise.all(
			[svg, bmp, ico].map((text) => refusal(inspect(Buffer.from(text, "latin1"), { filename: "photo.png" }))),
		);
		expect(messages).toEqual([
			"is an SVG file; send JPEG, PNG, GIF, WebP, AVIF or HEIC",
			"is a BMP file; send JPEG, PNG, GIF, WebP, AVIF or HEIC",
			"is an ICO file; send JPEG, PNG, GIF, WebP, AVIF or HEIC",
		]);
	});

	test("a .heif name or MIME type over anything but HEVC [create.multipart.heif-name-hevc]", async () => {
		const avif = await noise(50, 40).avif().toBuffer();
		const said: Partial<FileHints>[] = [
			{ filename: "photo.heif" },
			{ filename: "PHOTO.HEIF " },
			{ contentType: "image/heif" },
			{ contentType: "Image/HEIF; q=1" },
		];
		for (const hints of said) {
			expect(await refusal(inspect(avif, hints))).toBe(
				"is called HEIF but is an AVIF file; a HEIF file must hold HEVC pictures",
			);
		}
		expect(await refusal(inspect(avif, { filename: "photo.heic" }))).toBe("accepted");
	});
});

const SEND = "send JPEG, PNG, GIF, WebP, AVIF or HEIC";

/** Either format and size, or the refusal. */
const VERDICTS: Readonly<Record<string, readonly [SourceFormat, number, number] | string>> = {
	"jpeg_gps_copyright_iptc_xmp.jpg": ["jpg", 900, 506],
	"jpeg_o6_iptc_xmp.jpg": ["jpg", 1536, 2048],
	"jpeg_12mp_camera.jpg": ["jpg", 4032, 3024],
	"jpeg_o6_landscape.jpg": ["jpg", 1800, 1200],
	"jpeg_o8_portrait.jpg": ["jpg", 1200, 1800],
	"jpeg_progressive.jpg": ["jpg", 650, 470],
	"jpeg_cmyk_noprofile.jpg": ["jpg", 500, 333],
	"portrait_astronaut.png": ["png", 512, 512],
	"portrait_four_faces.jpg": ["jpg", 1920, 1537],
	"crowd_painted_faces.jpg": ["jpg", 900, 600],
	"portrait_child.jpg": ["jpg", 596, 900],
	"face_small_sunglasses.jpg": ["jpg", 1920, 1080],
	"noface_statues.jpg": ["jpg", 1204, 800],
	"seg_coffee.png": ["png", 600, 400],
	"seg_redpanda_clutter.jpg": ["jpg", 1621, 1080],
	"anim_42.gif": ["gif", 245, 245],
	"anim_42.webp": ["webp", 245, 245],
	"alpha.webp": ["webp", 300, 300],
	"alpha.png": ["png", 2048, 1536],
	"png16.png": ["png", 900, 600],
	"png_p3.png": ["png", 8, 8],
	"photo.avif": ["avif", 1204, 800],
	"iphone_grid_p3.heic": ["jpg", 3024, 4032],
	"alpha.heic": ["png", 512, 512],
	// The archive lies behind the picture, which is whole; it does not survive into what is served.
	"polyglot_zip.jpg": ["jpg", 320, 240],
	"polyglot_js.gif": `looks like GIF but ${DAMAGED}`,
	"sequence.avif": ["avif", 800, 450],
	"av1_in_heif.heif": "is called HEIF but is an AVIF file; a HEIF file must hold HEVC pictures",
	"truncated60.heic": `looks like HEIC but ${DAMAGED}`,
	"truncated.jpg": `looks like JPEG but ${CUT_OFF}`,
	"corrupted_camera.jpg": `looks like JPEG but ${DAMAGED}`,
	"bomb_16384.png": "has 269 megapixels; at most 110 for PNG",
	"bomb_12000.avif": "has 144 megapixels; at most 50 for AVIF",
	"bomb_5000frames.gif": "has 5000 frames; at most 500",
	"bomb_2000x2000x2000.gif": "has 2000 frames; at most 500",
	"svg_named.png": `is an SVG file; ${SEND}`,
	"extref.svg": `is an SVG file; ${SEND}`,
	"laughs.svg": `is an SVG file; ${SEND}`,
	"logo.svg": `is an SVG file; ${SEND}`,
	"photo.bmp": `is a BMP file; ${SEND}`,
	"bad_reallybig.bmp": `is a BMP file; ${SEND}`,
	"multi.ico": `is an ICO file; ${SEND}`,
};

describe("real files", () => {
	test.if(process.env.CI === "true")("SVC_TEST_CORPUS is set where the whole suite must run", () => {
		expect(corpus).toBeString();
	});

	test.skipIf(corpus === undefined)("every picture of the corpus has a verdict (needs SVC_TEST_CORPUS)", async () => {
		const files = (await readdir(corpus ?? "", { withFileTypes: true })).filter((entry) => !entry.isDirectory());
		const names = files.map(({ name }) => name).filter((name) => !name.endsWith(".tsv"));
		expect(names.sort()).toEqual(Object.keys(VERDICTS).sort());
	});

	for (const [file, verdict] of Object.entries(VERDICTS)) {
		const path = join(corpus ?? "", file);
		if (typeof verdict === "string") {
			test.skipIf(corpus === undefined)(`${file} is refused (needs SVC_TEST_CORPUS)`, async () => {
				expect(await refusal(inspectFile(path, { filename: file }))).toBe(verdict);
			});
			continue;
		}
		test.skipIf(corpus === undefined)(`${file} is accepted (needs SVC_TEST_CORPUS)`, async () => {
			const { format, width, height } = await inspectFile(path, { filename: file });
			expect<unknown>([format, width, height]).toEqual(verdict);
		});
	}

	test.skipIf(corpus === undefined)(
		"a phone's HEIC becomes an upright JPEG in its own colours; the original is gone (needs SVC_TEST_CORPUS)",
		async () => {
			const path = join(corpus ?? "", "iphone_grid_p3.heic");
			const before = await readdir(dir);
			const { master } = await inspectFile(path, { filename: "photo.heif", contentType: "image/heif" });
			const original = await sharp(path).metadata();
			const jpeg = await sharp(master.path).metadata();
			expect([jpeg.format, jpeg.chromaSubsampling, jpeg.orientation]).toEqual(["jpeg", "4:4:4", 1]);
			expect([jpeg.width, jpeg.height]).toEqual([3024, 4032]);
			expect([jpeg.icc, jpeg.exif?.length]).toEqual([original.icc, original.exif?.length]);
			const after = await readdir(dir);
			expect(after.filter((name) => !before.includes(name))).toEqual([master.path.slice(dir.length + 1)]);
		},
	);
});
