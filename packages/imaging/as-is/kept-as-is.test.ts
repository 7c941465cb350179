import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "@svc/base/failure";
import { sharp } from "../sharp-settings.ts";
import { type KeptAsIs, measure } from "./kept-as-is.ts";

let dir = "";
let files = 0;
beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-kept-"));
});
afterAll(() => rm(dir, { recursive: true }));

/** `40×30`, or the sentence under `file`. */
async function verdict(file: Uint8Array | string, format: KeptAsIs, whole = true): Promise<string> {
	const path = join(dir, `file-${files++}`);
	const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
	await writeFile(path, bytes);
	try {
		const { width, height } = await measure(path, bytes.length, format, whole);
		return `${width}×${height}`;
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		return error.details?.file?.join() ?? "not under file";
	}
}

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const svg = (attributes: string, inside = "") => `<svg ${NS} ${attributes}>${inside}</svg>`;

describe("the size of an SVG", () => {
	test.each([
		['width="40" height="30"', "40×30"],
		['width="40px" height="30.4"', "40×30"],
		['width="1in" height="2.54cm"', "96×96"],
		['width="10mm" height="12pt"', "38×16"],
		['width="1pc" height="1e2"', "16×100"],
		['width="0.2" height="0.2"', "1×1"],
		['viewBox="0 0 200 100"', "200×100"],
		['viewBox="-5,-5 , 20,10.6"', "20×11"],
		['width="100%" height="100%" viewBox="0 0 200 100"', "200×100"],
		['width="50" viewBox="0 0 200 100"', "50×25"],
		['height="50" viewBox="0 0 200 100"', "100×50"],
		['width="50"', "50×150"],
		['height="50"', "300×50"],
		['width="10em" height="auto"', "300×150"],
		['width="-5" height="constructor"', "300×150"],
		['viewBox="0 0 0 100"', "300×150"],
		['viewBox="0 0 1"', "300×150"],
		["", "300×150"],
		['width="65500" height="1"', "65500×1"],
		['width="65501" height="1"', "is 65501×1 pixels; at most 65500 to a side"],
		['width="1e999" height="1"', "is Infinity×1 pixels; at most 65500 to a side"],
		['width="0" height="1"', "has no pixels"],
	])("%s: %s", async (attributes, expected) => {
		expect(await verdict(svg(attributes), "svg")).toBe(expected);
	});
});

describe("a whole SVG", () => {
	const SIZED = 'width="4" height="3"';
	test.each([
		[
			"with everything that may come before",
			`\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- <svg -->\n<?a b?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n${svg(SIZED)}\n<!-- end -->`,
		],
		["with a prefix", `<s:svg xmlns:s="http://www.w3.org/2000/svg" ${SIZED}><s:g/></s:svg >`],
		[
			"with text, entities, CDATA and instructions",
			svg(SIZED, "<style><![CDATA[ a>b{} & ]]></style><text>1 &lt; &#50; &amp; &#x33;</text><?x <y> ?>"),
		],
		[
			"with scripts and references, which nothing runs and nothing follows",
			svg(SIZED, '<script>alert(1)</script><image href="http://127.0.0.1/"/>'),
		],
		["with quotes of both kinds", `<svg xmlns='http://www.w3.org/2000/svg' ${SIZED} a='"' b="'>"/>`],
		["in other letters", svg(SIZED, "<text>Größe 图 🙂</text>")],
	])("%s", async (_, file) => {
		expect(await verdict(file, "svg")).toBe("4×3");
	});

	const but = (fault: string) => `is an SVG file but ${fault}`;
	test.each([
		["another root", "<html><svg/></html>", but("its root element is html")],
		["no namespace", `<svg ${SIZED}/>`, but('its root element lacks xmlns="http://www.w3.org/2000/svg"')],
		["capital letters", `<SVG ${NS}/>`, but("its root element is SVG")],
		["declarations", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg(SIZED)}`, but("its DOCTYPE holds declarations")],
		["entities", svg(SIZED, "<text>&nbsp;</text>"), but("it uses entities that are not declared")],
		["entities in an attribute", svg(SIZED, '<a b="&c;"/>'), but("it uses entities that are not declared")],
		["a bare ampersand", svg(SIZED, "<text>a & b</text>"), but("it uses entities that are not declared")],
		["another encoding", `<?xml version="1.0" encoding="ISO-8859-1"?>${svg(SIZED)}`, but("it is not in UTF-8")],
		["control characters", svg(SIZED, "\x01"), but("it holds control characters")],
		["an end in the middle", svg(SIZED, "<g>").slice(0, -6), but("it ends inside g")],
		["an open comment", svg(SIZED, "<!-- "), but("--> is missing in it")],
		["tags that cross", svg(SIZED, "<a><b></a></b>"), but("its b is not closed")],
		["names of which one begins like another", svg(SIZED, "<a></ab>"), but("its a is not closed")],
		["an attribute without a value", svg(SIZED, "<a b/>"), but("its a is not written as a tag")],
		["an attribute twice", svg(SIZED, '<a b="1" b="2"/>'), but("its a has an attribute twice")],
		["attributes that touch", svg(SIZED, '<a b="1"c="2"/>'), but("its a is not written as a tag")],
		["a tag in an attribute", svg(SIZED, '<a b="<c>"/>'), but("its a is not written as a tag")],
		["a second root", svg(SIZED) + svg(SIZED), but("something follows its root element")],
		["a declaration among elements", svg(SIZED, "<!ELEMENT a>"), but("it holds a declaration among its elements")],
		["too many levels", svg(SIZED, "<a>".repeat(1_001)), but("its elements lie more than 1000 deep")],
		[
			"too many attributes",
			svg(Array.from({ length: 1_001 }, (_, n) => `a${n}="1"`).join(" ")),
			but("an element has more than 1000 attributes"),
		],
	])("not with %s", async (_, file, fault) => {
		expect(await verdict(file, "svg")).toBe(fault);
	});

	test("its bytes have to be UTF-8 to the end, and a letter may lie across the first look", async () => {
		const start = `<svg ${NS} ${SIZED}><text>`;
		const long = `${start}${"x".repeat(65_535 - start.length)}ü</text></svg>`;
		expect(await verdict(long, "svg", false)).toBe("4×3");
		expect(await verdict(long, "svg")).toBe("4×3");
		const broken = new TextEncoder().encode(long);
		broken[65_536] = 0x20;
		expect(await verdict(broken, "svg", false)).toBe("4×3");
		expect(await verdict(broken, "svg")).toBe(but("it is not in UTF-8"));
	});

	test("a first look sees the root element and not what follows it", async () => {
		expect(await verdict(svg(SIZED, "<g>"), "svg", false)).toBe("4×3");
	});

	test.each([
		["small elements", (length: number) => svg(SIZED, '<a b="1" c="2"/>'.repeat(length / 16))],
		["ampersands", (length: number) => svg(SIZED, "&amp;".repeat(length / 5))],
		["letters in an attribute", (length: number) => svg(SIZED, `<a d="${"1 ".repeat(length / 2)}"/>`)],
		["a tag that never ends", (length: number) => svg(SIZED, `<a ${" ".repeat(length)}`)],
		["a name that never ends", (length: number) => svg(SIZED, `<${"a".repeat(length)}`)],
		["a value that never ends", (length: number) => svg(SIZED, `<a b="${"1".repeat(length)}`)],
		["openings", (length: number) => svg(SIZED, "<a ".repeat(length / 3))],
		["comments", (length: number) => svg(SIZED, "<!---->".repeat(length / 7))],
	])("ten megabytes of %s are through in a moment, and hold nobody up meanwhile", async (_, make) => {
		const file = make(9_900_000);
		let [last, longest] = [performance.now(), 0];
		const timer = setInterval(() => {
			longest = Math.max(longest, performance.now() - last);
			last = performance.now();
		}, 1);
		const startedMs = performance.now();
		await verdict(file, "svg");
		clearInterval(timer);
		const tookMs = performance.now() - startedMs;
		expect(tookMs).toBeLessThan(20_000);
		expect(longest).toBeLessThan(4_000);
	});
});

interface BmpParts {
	readonly header?: number;
	readonly width?: number;
	readonly height?: number;
	readonly bits?: number;
	readonly compression?: number;
	readonly planes?: number;
	readonly colours?: number;
	readonly pixelsAt?: number;
	readonly bytes?: number;
}

function bmp(parts: BmpParts = {}): Uint8Array {
	const { header = 40, width = 10, height = 8, bits = 24, compression = 0, planes = 1, colours = 0 } = parts;
	const palette = bits <= 8 ? (colours || 2 ** bits) * (header === 12 ? 3 : 4) : 0;
	const pixelsAt = parts.pixelsAt ?? 14 + header + palette + (compression === 3 && header === 40 ? 12 : 0);
	const bytes = parts.bytes ?? pixelsAt + Math.ceil((width * bits) / 32) * 4 * Math.abs(height);
	const view = new DataView(new ArrayBuffer(Math.max(bytes, 14 + header)));
	view.setUint16(0, 0x424d);
	view.setUint32(10, pixelsAt, true);
	view.setUint32(14, header, true);
	if (header === 12) {
		for (const [place, value] of [width, height, planes, bits].entries()) view.setUint16(18 + place * 2, value, true);
	} else {
		view.setInt32(18, width, true);
		view.setInt32(22, height, true);
		view.setUint16(26, planes, true);
		view.setUint16(28, bits, true);
		view.setUint32(30, compression, true);
		view.setUint32(46, colours, true);
	}
	return new Uint8Array(view.buffer).slice(0, bytes);
}

describe("a bitmap", () => {
	test.each([12, 40, 52, 56, 108, 124])("with a header of %d bytes", async (header) => {
		expect(await verdict(bmp({ header }), "bmp")).toBe("10×8");
	});

	test.each([
		[1, 0],
		[4, 0],
		[8, 0],
		[16, 0],
		[24, 0],
		[32, 0],
		[8, 1],
		[4, 2],
		[16, 3],
		[32, 3],
		[32, 6],
	])("of %d bits to a pixel, with compression %d", async (bits, compression) => {
		const pixelsAt = compression === 6 ? 70 : undefined;
		expect(await verdict(bmp({ bits, compression, ...(pixelsAt && { pixelsAt }) }), "bmp")).toBe("10×8");
	});

	test("upside down, with few colours, and with bytes behind it", async () => {
		expect(await verdict(bmp({ height: -8 }), "bmp")).toBe("10×8");
		expect(await verdict(bmp({ bits: 8, colours: 3 }), "bmp")).toBe("10×8");
		expect(await verdict(bmp({ bytes: 5_000 }), "bmp")).toBe("10×8");
	});

	const but = (fault: string) => `is a BMP file but ${fault}`;
	test.each([
		["a header of another kind", { header: 64 }, but("its header is of no known kind")],
		["two bits to a pixel", { bits: 2 }, but("no browser shows 2 bits per pixel with compression 0")],
		["a PNG inside", { compression: 5 }, but("no browser shows 24 bits per pixel with compression 5")],
		[
			"a compression of another depth",
			{ bits: 24, compression: 1 },
			but("no browser shows 24 bits per pixel with compression 1"),
		],
		[
			"compressed rows upside down",
			{ bits: 8, compression: 1, height: -8 },
			but("its compressed rows are upside down"),
		],
		["three planes", { planes: 3 }, but("it has 3 planes")],
		["pixels inside of the header", { pixelsAt: 53, bytes: 400 }, but("its pixels begin inside its header")],
		[
			"pixels inside of the palette",
			{ bits: 8, pixelsAt: 100, bytes: 4_000 },
			but("its pixels begin inside its header"),
		],
		["a byte too few", { bytes: 309 - 16 }, but("it is too short for the pixels that its header tells of")],
		["no width", { width: 0 }, "has no pixels"],
		["a negative width", { width: -5, bytes: 400 }, "has no pixels"],
		["no height", { height: 0 }, "has no pixels"],
		[
			"the height that has no opposite",
			{ height: -(2 ** 31), bytes: 400 },
			but("it is too short for the pixels that its header tells of"),
		],
		[
			"a width that few bytes claim",
			{ width: 65_501, height: 1, bits: 1, colours: 2 },
			"is 65501×1 pixels; at most 65500 to a side",
		],
		[
			"compressed gigapixels",
			{ width: 60_000, height: 60_000, bits: 8, compression: 1, bytes: 2_000 },
			"has 3600 megapixels; at most 110 for BMP",
		],
		["half a header", { bytes: 30 }, but("it ends inside its header")],
		["nothing but a mark", { bytes: 20 }, but("it ends inside its header")],
	] as const)("not with %s", async (_, parts, fault) => {
		expect(await verdict(bmp(parts), "bmp")).toBe(fault);
	});
});

interface IconPart {
	readonly side: number;
	readonly picture: Uint8Array;
	readonly at?: number;
	readonly bytes?: number;
}

function ico(parts: readonly IconPart[], type = 1): Uint8Array {
	const start = 6 + 16 * parts.length;
	const file = new Uint8Array(start + parts.reduce((sum, { picture }) => sum + picture.length, 0));
	const view = new DataView(file.buffer);
	view.setUint16(2, type, true);
	view.setUint16(4, parts.length, true);
	let at = start;
	for (const [place, part] of parts.entries()) {
		const entry = 6 + 16 * place;
		file.set([part.side % 256, part.side % 256], entry);
		view.setUint32(entry + 8, part.bytes ?? part.picture.length, true);
		view.setUint32(entry + 12, part.at ?? at, true);
		file.set(part.picture, at);
		at += part.picture.length;
	}
	return file;
}

/** As icons have it: twice as high, and without a file header. */
const dib = (side: number, bits = 32) => bmp({ width: side, height: side * 2, bits }).subarray(14);
const png = async (side: number) =>
	sharp({ create: { width: side, height: side, channels: 4, background: "#123" } })
		.png()
		.toBuffer();

describe("an icon", () => {
	test("is as large as its largest picture, wherever that is", async () => {
		const [small, large] = [dib(16), await png(256)];
		expect(await verdict(ico([{ side: 16, picture: small }]), "ico")).toBe("16×16");
		const parts = [
			{ side: 16, picture: small },
			{ side: 256, picture: large },
			{ side: 32, picture: dib(32, 8) },
		];
		expect(await verdict(ico(parts), "ico")).toBe("256×256");
	});

	const but = (fault: string) => `is an ICO file but ${fault}`;
	const picture = dib(16);
	test.each([
		["a cursor", ico([{ side: 16, picture }], 2), but("it is a cursor")],
		["no picture", ico([]), but("it has 0 pictures; 1 to 256 are taken")],
		[
			"more pictures than anybody needs",
			ico(Array.from({ length: 257 }, () => ({ side: 16, picture }))),
			but("it has 257 pictures; 1 to 256 are taken"),
		],
		["a picture in the directory", ico([{ side: 16, picture, at: 21 }]), but("its picture 1 lies outside of the file")],
		["a picture past the end", ico([{ side: 16, picture, at: 23 }]), but("its picture 1 lies outside of the file")],
		[
			"a picture of 4 GB",
			ico([{ side: 16, picture, bytes: 0xffff_ffff }]),
			but("its picture 1 lies outside of the file"),
		],
		[
			"a picture that is none",
			ico([
				{ side: 16, picture },
				{ side: 16, picture: new Uint8Array(2_000) },
			]),
			but("its picture 2 is none"),
		],
		[
			"a bitmap that is too short",
			ico([{ side: 16, picture: picture.subarray(0, 500) }]),
			but("its picture 1 is none"),
		],
		["an empty picture", ico([{ side: 16, picture: new Uint8Array() }]), but("its picture 1 is none")],
		["half a directory", ico([{ side: 16, picture }]).subarray(0, 20), but("it ends inside its directory")],
		["half a mark", ico([{ side: 16, picture }]).subarray(0, 5), but("it ends inside its directory")],
	])("not with %s", async (_, file, fault) => {
		expect(await verdict(file, "ico")).toBe(fault);
	});
});
