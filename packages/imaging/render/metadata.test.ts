import { describe, expect, test } from "bun:test";
import type { OutputFormat } from "@svc/base/enumerations";
import { BLUE, bytesOf, pixelsOf, quarters, RED, rendered } from "@svc/test/support/rendering";
import { concat } from "../bytes.ts";
import { describeJpeg, MARKER, segment } from "../jpeg/segments.ts";
import { copyrightExif } from "../metadata/exif.ts";
import { sharp } from "../sharp-settings.ts";
import { uprightWithoutThumbnail } from "./metadata.ts";

const NOTICE = "© 2026 Zoë";
const THUMBNAIL = "THUMBNAIL-PIXELS";
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${NOTICE}</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>`;

/** A camera's block: model, orientation 6, notice, place, and a thumbnail in a second directory. */
function cameraExif(): Uint8Array {
	const text = (value: string) => new TextEncoder().encode(`${value}\0`);
	const notice = text(NOTICE);
	const model = text("Secretcam 5");
	const first = 8;
	const second = first + 2 + 4 * 12 + 4;
	const gps = second + 2 + 2 * 12 + 4;
	const heap = gps + 2 + 12 + 4;
	const tiff = new Uint8Array(heap + model.length + notice.length + THUMBNAIL.length);
	const view = new DataView(tiff.buffer);
	const entry = (at: number, tag: number, type: number, count: number, value: number) => {
		view.setUint16(at, tag, true);
		view.setUint16(at + 2, type, true);
		view.setUint32(at + 4, count, true);
		view.setUint32(at + 8, value, true);
	};
	tiff.set([0x49, 0x49, 42, 0, first, 0, 0, 0]);
	view.setUint16(first, 4, true);
	entry(first + 2, 0x0110, 2, model.length, heap);
	entry(first + 14, 0x0112, 3, 1, 6);
	entry(first + 26, 0x8298, 2, notice.length, heap + model.length);
	entry(first + 38, 0x8825, 4, 1, gps);
	view.setUint32(first + 50, second, true);
	view.setUint16(second, 2, true);
	entry(second + 2, 0x0201, 4, 1, heap + model.length + notice.length);
	entry(second + 14, 0x0202, 4, 1, THUMBNAIL.length);
	view.setUint16(gps, 1, true);
	entry(gps + 2, 0x0001, 2, 2, 0x4e);
	tiff.set(model, heap);
	tiff.set(notice, heap + model.length);
	tiff.set(text(THUMBNAIL).subarray(0, -1), heap + model.length + notice.length);
	return tiff;
}

async function cameraJpeg(): Promise<Uint8Array<ArrayBuffer>> {
	const plain = await bytesOf(
		sharp(await quarters())
			.withIccProfile("p3")
			.jpeg({ quality: 95, chromaSubsampling: "4:4:4" }),
	);
	const described = describeJpeg(plain, { exif: cameraExif(), xmp: new TextEncoder().encode(XMP), icc: undefined });
	const photoshop = segment(MARKER.app13, new TextEncoder().encode("Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x00"));
	return concat([described.subarray(0, 2), photoshop, described.subarray(2)]);
}

const camera = await cameraJpeg();
const pathways = ["w=100", "w=100&saturation=1.5"];
const bearers = ["jpg", "png", "webp", "avif"] as const satisfies readonly OutputFormat[];

async function said(
	query: string,
): Promise<{ text: string; exif: Uint8Array | undefined; xmp: string | undefined; icc: number }> {
	const { bytes } = await rendered(camera, query, "jpg");
	const { exif, xmpAsString, icc } = await sharp(bytes).metadata();
	return { text: new TextDecoder("latin1").decode(bytes), exif, xmp: xmpAsString, icc: icc?.length ?? 0 };
}

describe.each(bearers)("in %s", (format) => {
	test("only the notice survives [cdn.metadata.default-copyright, cdn.metadata.copyright-strips, cdn.metadata.copyright-keeps]", async () => {
		for (const pathway of pathways) {
			const { text, exif, xmp, icc } = await said(`${pathway}&format=${format}`);
			const kept = exif && copyrightExif(exif);
			expect(new TextDecoder().decode(kept)).toContain(NOTICE);
			expect(xmp).toContain(NOTICE);
			expect(xmp).not.toContain("Orientation");
			expect(text).not.toContain("Secretcam");
			expect(text).not.toContain(THUMBNAIL);
			expect(text).not.toContain("Photoshop");
			expect(icc).toBe(0);
		}
	});

	test("nothing survives [cdn.metadata.none]", async () => {
		for (const pathway of pathways) {
			const { text, exif, xmp, icc } = await said(`${pathway}&format=${format}&metadata=none`);
			expect([exif, xmp, icc, text.includes("2026")]).toEqual([undefined, undefined, 0, false]);
		}
	});

	test("all survives, upright and without the thumbnail [cdn.metadata.keep]", async () => {
		for (const pathway of pathways) {
			const { text, exif, xmp, icc } = await said(`${pathway}&format=${format}&metadata=keep`);
			expect(new TextDecoder("latin1").decode(exif)).toContain("Secretcam");
			expect(directoryTags(exif)).toContain(0x8825);
			expect(xmp).toContain('tiff:Orientation="1"');
			expect(text).not.toContain(THUMBNAIL);
			expect(icc).toBeGreaterThan(300);
			const { orientation } = await sharp(
				(await rendered(camera, `${pathway}&format=${format}&metadata=keep`, "jpg")).bytes,
			).metadata();
			expect(orientation ?? 1).toBe(1);
		}
	});
});

test("keep carries IPTC from JPEG to JPEG [cdn.metadata.keep]", async () => {
	expect((await said("w=100&metadata=keep")).text).toContain("Photoshop 3.0");
});

test("colours look the same whether the profile is kept or converted away", async () => {
	for (const pathway of ["w=100&format=png", "w=100&format=png&blur=1"]) {
		const [kept, converted] = await Promise.all(
			[`${pathway}&metadata=keep`, pathway].map(async (query) => (await rendered(camera, query, "jpg")).bytes),
		);
		// The reader applies the profile that was kept.
		const [a, b] = [await pixelsOf(kept ?? new Uint8Array()), await pixelsOf(converted ?? new Uint8Array())];
		for (const [x, y, colour] of [
			[80, 20, RED],
			[20, 20, BLUE],
		] as const) {
			for (const pixel of [a.at(x, y), b.at(x, y)]) {
				expect(pixel.every((value, channel) => Math.abs(value - (colour[channel] ?? 0)) < 14)).toBe(true);
			}
		}
	}
});

test("descriptions do not disturb the pixels of any container", async () => {
	for (const format of ["png", "webp", "jpg"]) {
		const [bare, full] = await Promise.all(
			["none", "copyright"].map(
				async (mode) => (await rendered(camera, `w=101&h=51&format=${format}&metadata=${mode}`, "jpg")).bytes,
			),
		);
		const [a, b] = await Promise.all([bare, full].map((bytes) => sharp(bytes, { failOn: "warning" }).raw().toBuffer()));
		expect(a?.equals(b ?? new Uint8Array())).toBe(true);
	}
});

test("a hostile EXIF block is refused or left alone, never followed out of its bounds", () => {
	for (let length = 0; length < 200; length++) uprightWithoutThumbnail(cameraExif().subarray(0, length));
	const wild = cameraExif();
	new DataView(wild.buffer).setUint32(4, 0xfffffff0, true);
	expect(uprightWithoutThumbnail(wild)?.length).toBe(wild.length);
});

function directoryTags(exif: Uint8Array | undefined): number[] {
	if (!exif) return [];
	const tiff = exif[0] === 0x45 ? exif.subarray(6) : exif;
	const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
	const little = tiff[0] === 0x49;
	const directory = view.getUint32(4, little);
	return Array.from({ length: view.getUint16(directory, little) }, (_, index) =>
		view.getUint16(directory + 2 + index * 12, little),
	);
}
