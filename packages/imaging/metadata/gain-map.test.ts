import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { masterOf, rendered } from "@svc/test/support/rendering";
import { ascii, concat, viewOf } from "../bytes.ts";
import { segment } from "../jpeg/segments.ts";
import { sharp } from "../sharp-settings.ts";
import { strip } from "./strip.ts";

const XMP = "http://ns.adobe.com/xap/1.0/\0";
const HDR = 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"';
const APPLE =
	'xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/"';
const [width, height] = [200, 120];

const packet = (attributes: string, content = "") =>
	`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;

const noisy = (background: string, w: number, h: number) =>
	sharp({
		create: { width: w, height: h, channels: 3, background, noise: { type: "gaussian", mean: 128, sigma: 20 } },
	});

/** A JPEG with segments of its own before its tables. */
async function jpeg(w: number, h: number, segments: readonly Uint8Array[], options = {}): Promise<Uint8Array> {
	const bytes = await noisy("#468", w, h).jpeg(options).toBuffer();
	return concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)]);
}

const xmpSegment = (text: string) => segment(0xe1, ascii(XMP), new TextEncoder().encode(text));
const exifSegment = segment(0xe1, ascii("Exif\0\0MM\0*\0\0\0\x08\0\0SECRET"));

/** Two images and an index in little-endian order, which is how some cameras write it. */
async function photo(
	primary: readonly Uint8Array[],
	map: Uint8Array,
	entry: { readonly start?: number; readonly bytes?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
	const tiff = new Uint8Array(82);
	const index = segment(0xe2, ascii("MPF\0"), tiff);
	const picture = await jpeg(width, height, [...primary, index]);
	const base = Buffer.from(picture).indexOf("MPF\0") + 4;
	const view = viewOf(picture.subarray(base));
	picture.set([...ascii("II"), 42, 0, 8, 0, 0, 0, 3, 0], base);
	const directory = [0xb000, 7, 4, 0x30303130, 0xb001, 4, 1, 2, 0xb002, 7, 32, 50];
	for (let tag = 0; tag < 3; tag++) {
		const [id = 0, type = 0, count = 0, value = 0] = directory.slice(tag * 4);
		view.setUint16(10 + tag * 12, id, true);
		view.setUint16(12 + tag * 12, type, true);
		view.setUint32(14 + tag * 12, count, true);
		view.setUint32(18 + tag * 12, value, true);
	}
	view.setUint32(50 + 4, picture.length, true);
	view.setUint32(66 + 4, entry.bytes ?? map.length, true);
	view.setUint32(66 + 8, (entry.start ?? picture.length) - base, true);
	return concat([picture, map]);
}

/** As Android writes them. */
const ULTRA_HDR = async () => {
	const map = await jpeg(50, 30, [
		exifSegment,
		xmpSegment(
			packet(
				`${HDR} hdrgm:Version="1.0" hdrgm:GainMapMax="2.5" hdrgm:BaseRenditionIsHDR="False" hdrgm:Note="SECRET"`,
				"<hdrgm:Gamma><rdf:Seq><rdf:li>1.0</rdf:li><rdf:li>1.1</rdf:li><rdf:li>1.2</rdf:li></rdf:Seq></hdrgm:Gamma>",
			),
		),
		segment(0xfe, ascii("SECRET")),
	]);
	const dc =
		'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="SECRET"';
	const announcement = packet(
		`${HDR} ${dc} hdrgm:Version="1.0" xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/"`,
		`<Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Length="${map.length}"/></rdf:li></rdf:Seq></Container:Directory><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Rights of Ann</rdf:li></rdf:Alt></dc:rights>`,
	);
	return await photo([exifSegment, xmpSegment(announcement)], map);
};

/** As phones of Apple write them: nothing in the picture but the index. */
const FROM_APPLE = async () => {
	const type = 'apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap" apdi:NativeFormat="1278226488"';
	const map = await jpeg(100, 60, [
		xmpSegment(packet(`${APPLE} HDRGainMap:HDRGainMapVersion="65536" ${type} apdi:StoredFormat="SECRET"`)),
		exifSegment,
	]);
	return await photo([exifSegment], map);
};

/** As libultrahdr writes them, by ISO 21496-1. */
const BY_ISO = async () => {
	const light = Float32Array.from({ length: width * height * 3 }, (_, at) => ((at / 3) % width) / 60);
	const raw = { width, height, channels: 3, depth: "float" } as const;
	// Of floats and gain maps the types of sharp do not know yet.
	const image = sharp(light, { raw: raw as { width: number; height: number; channels: 3 } });
	const hdr = image.pipelineColourspace("scrgb") as typeof image & { withGainMap(): typeof image };
	const bytes = await hdr.withGainMap().jpeg().toBuffer();
	return concat([bytes.subarray(0, 2), exifSegment, bytes.subarray(2)]);
};

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const stripBytes = (bytes: Uint8Array<ArrayBuffer>) => strip({ ...masterOf(bytes, "jpg"), width, height });

/** Where each image of the file lies, by the index in it. */
function imagesOf(file: Uint8Array): Uint8Array[] {
	const base = Buffer.from(file).indexOf("MPF\0") + 4;
	if (base < 4) return [file];
	const view = viewOf(file.subarray(base));
	expect(view.getUint16(2)).toBe(42);
	const [first, bytes, start] = [view.getUint32(54), view.getUint32(70), base + view.getUint32(74)];
	expect(start + bytes).toBe(file.length);
	return [file.subarray(0, first), file.subarray(start, start + bytes)];
}

const pixels = (bytes: Uint8Array) => sharp(bytes, { failOn: "error" }).raw().toBuffer();

describe.each([
	["Ultra HDR", ULTRA_HDR, { map: 'hdrgm:GainMapMax="2.5"', picture: 'hdrgm:Version="1.0"' }],
	["Apple", FROM_APPLE, { map: "urn:com:apple:photo:2020:aux:hdrgainmap", picture: "MPF\0" }],
	["ISO 21496-1", BY_ISO, { map: "urn:iso:std:iso:ts:21496:-1", picture: "urn:iso:std:iso:ts:21496:-1" }],
] as const)("a photo with a gain map (%s)", (name, make, says) => {
	test("keeps it, its index and what announces it; place and device go", async () => {
		const original = await make();
		const stripped = (await stripBytes(original)) ?? new Uint8Array();
		expect(text(stripped)).not.toContain("SECRET");
		const [picture = new Uint8Array(), map = new Uint8Array()] = imagesOf(stripped);
		expect(text(picture)).toContain(says.picture);
		expect(text(map)).toContain(says.map);
		expect(await pixels(picture)).toEqual(await pixels(original));
		const start =
			original.length -
			Buffer.from(original)
				.reverse()
				.indexOf(Buffer.from([0xff, 0xd8, 0xff]).reverse()) -
			3;
		expect(await pixels(map)).toEqual(await pixels(original.subarray(start)));
		// What has been stripped needs no stripping.
		expect(await stripBytes(Uint8Array.from(stripped))).toBeUndefined();
		if (name !== "Ultra HDR") return;
		expect(text(picture)).toContain("Rights of Ann");
		expect(text(picture)).toContain(`Item:Semantic="GainMap" Item:Length="${map.length}"`);
		expect(text(map)).toContain(
			"<hdrgm:Gamma><rdf:Seq><rdf:li>1.0</rdf:li><rdf:li>1.1</rdf:li><rdf:li>1.2</rdf:li></rdf:Seq>",
		);
	});

	test("has renditions that neither hold nor announce it where nobody knows that it has one, whatever they keep", async () => {
		const original = await make();
		for (const query of [
			"w=100&metadata=keep",
			"w=100",
			"metadata=keep&format=webp",
			"metadata=keep&format=png",
			"metadata=keep&format=avif",
		]) {
			const { bytes } = await rendered(original, query, "jpg");
			const words = text(bytes);
			for (const word of ["hdrgm", "hdr-gain-map", "GainMap", "hdrgainmap", "21496", "MPF\0", "container/"]) {
				expect([query, word, words.includes(word)]).toEqual([query, word, false]);
			}
			expect(words.split("\xff\xd8\xff").length).toBeLessThanOrEqual(2);
			if (name === "Ultra HDR" && query.includes("w=100")) expect(words).toContain("Rights of Ann");
		}
	});
});

test("a reader of such photos finds the gain map of ISO 21496-1 in what is served", async () => {
	const dir = await mkdtemp(join(tmpdir(), "svc-gain-map-"));
	await writeFile(join(dir, "stripped.jpg"), (await stripBytes(Uint8Array.from(await BY_ISO()))) ?? "");
	// In a process of its own: this one has its loader closed.
	const program = `
		const { default: sharp } = await import(${JSON.stringify(import.meta.resolve("sharp"))});
		const { width, gainMap } = await sharp(${JSON.stringify(join(dir, "stripped.jpg"))}).metadata();
		console.log(JSON.stringify([width, gainMap?.image.length > 100]));
	`;
	const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
	expect(JSON.parse(await new Response(child.stdout).text())).toEqual([width, true]);
	await rm(dir, { recursive: true });
});

describe("what follows a picture goes", () => {
	const apple = xmpSegment(packet(`${APPLE} HDRGainMap:HDRGainMapVersion="65536"`));
	const behind: readonly (readonly [string, () => Promise<Uint8Array>])[] = [
		["when it is another picture", () => jpeg(50, 30, [])],
		[
			"when it says that it is a gain map and is none",
			async () => concat([Uint8Array.of(0xff, 0xd8), apple, ascii("SECRET<script>")]),
		],
		["when it is damaged", async () => (await jpeg(50, 30, [apple])).slice(0, -30)],
		["when it is larger than the picture", () => jpeg(width + 1, height, [apple])],
		["when it is progressive", () => jpeg(50, 30, [apple], { progressive: true })],
	];
	test.each(behind)("%s", async (_, make) => {
		const original = await photo([], await make());
		const stripped = (await stripBytes(original)) ?? original;
		expect(text(stripped).split("\xff\xd8\xff")).toHaveLength(2);
		expect(text(stripped)).not.toContain("MPF\0");
		expect(await pixels(stripped)).toEqual(await pixels(original));
	});

	test("when its index points anywhere else", async () => {
		const map = await jpeg(50, 30, [apple]);
		const whole = await photo([], map);
		const end = whole.length - map.length;
		for (const start of [0, end - 1, end + 1, whole.length - 3, 0xfffffff0]) {
			const lies = await photo([], concat([ascii("...."), map]), { start });
			expect(text((await stripBytes(lies)) ?? lies).split("\xff\xd8\xff")).toHaveLength(2);
		}
		const tooLong = await photo([], concat([ascii("...."), map]), { bytes: 0xffffffff });
		expect(text((await stripBytes(tooLong)) ?? tooLong).split("\xff\xd8\xff")).toHaveLength(2);
	});
});

test("every cut and many flips of such a photo are stripped without an error", async () => {
	const original = await ULTRA_HDR();
	for (let cut = 3; cut < original.length; cut += 97) await stripBytes(original.slice(0, cut));
	for (let at = 2; at < original.length; at += 41) {
		const flipped = Uint8Array.from(original);
		flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
		await stripBytes(flipped);
	}
});
