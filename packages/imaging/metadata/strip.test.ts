import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import type { ImageFormat } from "@svc/base/enumerations";
import { ascii, concat, viewOf } from "../bytes.ts";
import { segment } from "../jpeg/segments.ts";
import { sharp } from "../sharp-settings.ts";
import { strip } from "./strip.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const SECRETS = /SECRET|Canon|EOS R5|photoshop|GPS|51,30N/;
const XMP = [
	'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
	'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"',
	' exif:GPSLatitude="51,30N"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Rights of Ann</rdf:li></rdf:Alt>',
	"</dc:rights><dc:description>SECRET</dc:description></rdf:Description></rdf:RDF></x:xmpmeta>",
].join("");

function stripBytes(bytes: Uint8Array, format: ImageFormat): Promise<Uint8Array | undefined> {
	const copy = Uint8Array.from(bytes);
	const blob = {
		bytes: copy.length,
		path: undefined,
		read: async () => copy,
		stream: () => new Blob([copy]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
	};
	return strip({ blob, format, width: 1, height: 1 });
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const pixels = (bytes: Uint8Array) => sharp(bytes, { animated: true, failOn: "error" }).raw().toBuffer();

/** A picture with everything in it that libvips can write. */
async function described(format: "jpeg" | "png" | "webp" | "gif" | "avif"): Promise<Buffer> {
	const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
	return sharp({ create: { width: 60, height: 40, channels: 3, background: "#888", noise } })
		.withIccProfile("p3")
		.withExif({
			IFD0: { Copyright: "2024 Ann", Artist: "Ann Example", Make: "Canon", Model: "EOS R5" },
			IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" },
		})
		.withMetadata({ orientation: 6 })
		.withXmp(XMP)
		.toFormat(format)
		.toBuffer();
}

async function expectStripped(original: Uint8Array, format: ImageFormat): Promise<Uint8Array> {
	const stripped = (await stripBytes(original, format)) ?? new Uint8Array();
	expect(text(stripped)).not.toMatch(SECRETS);
	expect(await pixels(stripped)).toEqual(await pixels(original));
	// What has been stripped needs no stripping.
	expect(await stripBytes(stripped, format)).toBeUndefined();
	return stripped;
}

describe("GPS, device and descriptions go; copyright, orientation, profile and every pixel stay", () => {
	test.each(["jpeg", "png", "webp"] as const)("in a %s", async (format) => {
		const original = await described(format);
		expect(text(original)).toMatch(SECRETS);
		const stripped = await expectStripped(original, format === "jpeg" ? "jpg" : format);
		const before = await sharp(original).metadata();
		const after = await sharp(stripped).metadata();
		expect(after.orientation).toBe(6);
		expect(after.icc).toEqual(before.icc);
		expect(text(after.exif ?? new Uint8Array())).toMatch(/Ann Example\0.*2024 Ann\0/);
		expect(text(after.xmp ?? new Uint8Array())).toContain("Rights of Ann");
	});

	test("in an AVIF, whose length cannot change", async () => {
		const original = await described("avif");
		expect(text(original)).toMatch(SECRETS);
		const stripped = await expectStripped(original, "avif");
		expect(stripped.length).toBe(original.length);
		const after = await sharp(stripped).metadata();
		expect(text(after.exif ?? new Uint8Array())).toMatch(/Ann Example\0.*2024 Ann\0/);
	});

	test("in an animated AVIF, also what only its tracks describe, or what lies beside them", async () => {
		const still = await described("avif");
		const box = (type: string, ...content: readonly Uint8Array[]) => {
			const whole = concat([new Uint8Array(4), ascii(type), ...content]);
			viewOf(whole).setUint32(0, whole.length);
			return whole;
		};
		const at = still.indexOf("meta") - 4;
		const meta = Uint8Array.from(still.subarray(at, at + still.readUInt32BE(at)));
		// From here on nothing at the top says that there are EXIF data.
		still.write("Exix", still.indexOf("Exif", at), "latin1");
		const beside = box("udta", ascii("SECRET"));
		const track = box("trak", box("tkhd", ascii("kept")), meta, beside, box("mdia", ascii("kept")));
		const original = concat([still, box("moov", box("mvhd", ascii("kept")), beside, track)]);
		const stripped = (await stripBytes(original, "avif")) ?? new Uint8Array();
		expect(text(stripped)).not.toMatch(SECRETS);
		expect([stripped.length, text(stripped).match(/kept/g)?.length]).toEqual([original.length, 3]);
		expect(text(stripped)).toMatch(/Ann Example\0.*2024 Ann\0/);
	});

	test.each(["jpeg", "png", "webp", "avif", "gif"] as const)("and a bare %s is served as it is", async (format) => {
		const bare = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#123" } })
			.toFormat(format)
			.toBuffer();
		expect(await stripBytes(bare, format === "jpeg" ? "jpg" : format)).toBeUndefined();
	});

	test.each(["bmp", "ico", "svg"] as const)("and a %s is not touched", async (format) => {
		expect(await stripBytes(ascii("SECRET"), format)).toBeUndefined();
	});
});

describe("JPEG", () => {
	const withSegments = async (...segments: Uint8Array[]) => {
		const jpeg = await sharp({ create: { width: 90, height: 90, channels: 3, background: "#123" } })
			.jpeg()
			.toBuffer();
		return concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
	};

	test("comments, thumbnails, unknown segments and all that follows the picture go", async () => {
		const jfif = segment(0xe0, ascii("JFIF\0"), Uint8Array.of(1, 1, 0, 0, 1, 0, 1, 1, 2), ascii("SECRET"));
		const original = concat([
			await withSegments(
				jfif,
				segment(0xe0, ascii("JFXX\0SECRET")),
				segment(0xfe, ascii("SECRET")),
				segment(0xe2, ascii("MPF\0SECRET")),
				segment(0xe1, ascii("http://ns.adobe.com/xmp/extension/\0SECRET")),
				segment(0xe1, ascii("Exif\0\0SECRET")),
				segment(0xef, ascii("SECRET")),
			),
			ascii("\xff\xd8SECRET"),
		]);
		await expectStripped(original, "jpg");
	});

	test("a progressive picture keeps every one of its scans", async () => {
		const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
		const picture = sharp({ create: { width: 300, height: 200, channels: 3, background: "#888", noise } });
		const original = await picture.jpeg({ progressive: true }).toBuffer();
		await expectStripped(concat([original, ascii("SECRET")]), "jpg");
	});

	test("of IPTC the by-line and the notice stay", async () => {
		const dataset = (id: number, value: string) => {
			const head = Uint8Array.of(0x1c, 2, id, 0, value.length);
			return concat([head, ascii(value)]);
		};
		const iptc = concat([dataset(116, "Notice"), dataset(120, "SECRET"), dataset(80, "Ann"), dataset(90, "SECRET")]);
		const size = new Uint8Array(4);
		viewOf(size).setUint32(0, iptc.length);
		const other = concat([ascii("8BIM"), Uint8Array.of(4, 12, 0, 0, 0, 0, 0, 6), ascii("SECRET")]);
		const resource = concat([ascii("8BIM"), Uint8Array.of(4, 4, 3, 97, 98, 99), size, iptc]);
		const original = await withSegments(segment(0xed, ascii("Photoshop 3.0\0"), other, resource));
		const stripped = text(await expectStripped(original, "jpg"));
		expect(stripped).toContain("Photoshop 3.0\0");
		expect(stripped).toContain("Notice");
		expect(stripped).toContain("Ann");
	});

	test("the Adobe segment stays: without it CMYK colours come out inverted", async () => {
		const cmyk = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#840" } })
			.toColourspace("cmyk")
			.jpeg()
			.toBuffer();
		await expectStripped(concat([cmyk, ascii("SECRET")]), "jpg");
	});
});

describe("PNG", () => {
	const chunk = (type: string, payload: Uint8Array) => {
		const bytes = concat([new Uint8Array(4), ascii(type), payload, new Uint8Array(4)]);
		viewOf(bytes).setUint32(0, payload.length);
		viewOf(bytes).setUint32(bytes.length - 4, crc32(bytes.subarray(4, -4)));
		return bytes;
	};
	const withChunks = async (...chunks: Uint8Array[]) => {
		const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#123" } })
			.png()
			.toBuffer();
		return concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
	};

	test("texts, times, private chunks and all that follows the picture go", async () => {
		const original = await withChunks(
			chunk("tEXt", ascii("Comment\0SECRET")),
			chunk("zTXt", concat([ascii("Raw profile type exif\0\0"), deflateSync("SECRET")])),
			chunk("iTXt", ascii("Author\0\0\0\0\0SECRET")),
			chunk("tIME", Uint8Array.of(7, 232, 1, 1, 1, 1, 1)),
			chunk("prVt", ascii("SECRET")),
		);
		const stripped = await expectStripped(concat([original, ascii("SECRET")]), "png");
		expect(text(stripped)).not.toMatch(/tEXt|zTXt|iTXt|tIME/);
	});

	test("a compressed XMP packet is read, and a bomb is not", async () => {
		const packed = (xmp: string) =>
			chunk("iTXt", concat([ascii("XML:com.adobe.xmp\0\x01\0\0\0"), deflateSync(Buffer.from(xmp))]));
		const stripped = await expectStripped(await withChunks(packed(XMP)), "png");
		expect(text(stripped)).toContain("Rights of Ann");
		const bomb = await expectStripped(await withChunks(packed(" ".repeat(50_000_000))), "png");
		expect(text(bomb)).not.toContain("iTXt");
	});
});

describe("animations", () => {
	const frames = async (format: "gif" | "webp") => {
		const pages = ["#f00", "#0f0", "#00f"].map((background) =>
			sharp({ create: { width: 20, height: 10, channels: 3, background } })
				.png()
				.toBuffer(),
		);
		return sharp(await Promise.all(pages), { join: { animated: true } })
			.toFormat(format, { loop: 3, delay: [100, 200, 300] })
			.toBuffer();
	};
	const timing = async (bytes: Uint8Array) => {
		const { pages, loop, delay } = await sharp(bytes).metadata();
		return { pages, loop, delay };
	};

	test("a GIF loses comments, unknown applications and its tail, not its loop", async () => {
		const gif = await frames("gif");
		const start = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1) * ((gif[10] ?? 0) >> 7);
		const comment = concat([Uint8Array.of(0x21, 0xfe, 6), ascii("SECRET"), Uint8Array.of(0)]);
		const application = concat([Uint8Array.of(0x21, 0xff, 11), ascii("SECRETS 1.0"), Uint8Array.of(1, 7, 0)]);
		const trailer = Uint8Array.from({ length: 258 }, (_, index) => (index === 0 ? 1 : Math.max(0, 256 - index)));
		const xmp = concat([Uint8Array.of(0x21, 0xff, 11), ascii("XMP DataXMP"), ascii(XMP), trailer]);
		const head = gif.subarray(0, start);
		const original = concat([head, comment, application, xmp, gif.subarray(start), ascii("SECRET")]);
		const stripped = await expectStripped(original, "gif");
		expect(await timing(stripped)).toEqual(await timing(gif));
		expect(text(stripped)).toContain("Rights of Ann");
	});

	test("a WebP loses unknown chunks, also inside of frames, and its tail", async () => {
		const webp = await frames("webp");
		const unknown = concat([ascii("SECR"), Uint8Array.of(6, 0, 0, 0), ascii("SECRET")]);
		const at = webp.indexOf("ANMF");
		const frame = viewOf(webp).getUint32(at + 4, true);
		const end = at + 8 + frame + (frame % 2);
		const original = concat([webp.subarray(0, end), unknown, webp.subarray(end), unknown, ascii("SECRET")]);
		viewOf(original).setUint32(at + 4, end - at - 8 + unknown.length, true);
		viewOf(original).setUint32(4, original.length - 8 - 6, true);
		const stripped = await expectStripped(original, "webp");
		expect(await timing(stripped)).toEqual(await timing(webp));
	});
});

describe("hostile bytes", () => {
	/** Reproducible (Numerical Recipes' generator). */
	function* numbers(seed: number): Generator<number, never> {
		for (let state = seed; ; ) {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			yield state;
		}
	}

	function damage(original: Uint8Array, random: Iterator<number, never>): Uint8Array {
		const next = (below: number) => random.next().value % below;
		const damaged = original.slice(0, next(3) === 0 ? next(original.length) + 1 : undefined);
		// Half of the damage goes where the structure is.
		for (const range of [400, original.length, 400, original.length]) {
			damaged[next(Math.min(range, damaged.length))] = next(256);
		}
		return damaged;
	}

	test.each(["jpg", "png", "webp", "gif", "avif"] as const)(
		"a damaged %s fails in no way that is a surprise",
		async (format) => {
			const original = await described(format === "jpg" ? "jpeg" : format);
			const random = numbers(7);
			for (let round = 0; round < 1_500; round++) {
				const outcome = await stripBytes(damage(original, random), format).catch((error: unknown) => error);
				// Only an AVIF can be in a state in which nothing can be left out safely.
				if (outcome instanceof Error) expect([format, outcome.constructor.name]).toEqual(["avif", "RangeError"]);
			}
		},
	);
});

describe.skipIf(corpus === undefined)("real files (needs SVC_TEST_CORPUS)", () => {
	const FILES: readonly (readonly [string, ImageFormat])[] = [
		["jpeg_gps_copyright_iptc_xmp.jpg", "jpg"],
		["jpeg_o6_iptc_xmp.jpg", "jpg"],
		["jpeg_12mp_camera.jpg", "jpg"],
		["seg_redpanda_clutter.jpg", "jpg"],
		["polyglot_zip.jpg", "jpg"],
		["portrait_astronaut.png", "png"],
		["png16.png", "png"],
	];

	test.each(FILES)("%s loses bytes and no pixel", async (file, format) => {
		const original = await readFile(join(corpus ?? "", file));
		const stripped = (await stripBytes(original, format)) ?? new Uint8Array();
		expect(stripped.length).toBeLessThan(original.length);
		expect(await pixels(stripped)).toEqual(await pixels(original));
		const before = await sharp(original).metadata();
		const after = await sharp(stripped).metadata();
		expect([after.icc, after.orientation ?? 1]).toEqual([before.icc, before.orientation ?? 1]);
		expect(after.comments).toBeUndefined();
	});

	test("a photographer's names survive in their own script, the place does not", async () => {
		const original = await readFile(join(corpus ?? "", "jpeg_gps_copyright_iptc_xmp.jpg"));
		const { exif, xmp } = await sharp(await stripBytes(original, "jpg")).metadata();
		expect(exif?.toString("utf8")).toContain("次田和宏");
		expect(exif?.toString("utf8")).toContain("Kazuhiro Tsugita");
		expect(xmp?.toString("utf8")).toContain("次田和宏");
		expect(exif?.length).toBeLessThan(100);
	});

	test.each(["anim_42.gif", "anim_42.webp", "alpha.webp", "photo.avif", "jpeg_cmyk_noprofile.jpg"])(
		"%s holds nothing to remove",
		async (file) => {
			const format = file.slice(file.lastIndexOf(".") + 1) as ImageFormat;
			expect(await stripBytes(await readFile(join(corpus ?? "", file)), format)).toBeUndefined();
		},
	);
});
