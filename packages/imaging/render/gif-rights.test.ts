import { describe, expect, test } from "bun:test";
import type { OutputFormat } from "@svc/base/enumerations";
import { gifOf } from "@svc/test/support/gifs";
import { rendered } from "@svc/test/support/rendering";
import { ascii, concat } from "../bytes.ts";
import { strip } from "../metadata/strip.ts";
import { gifXmp } from "../metadata/strip-gif.ts";
import { sharp } from "../sharp-settings.ts";

const XMP = [
	'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
	'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator><rdf:Seq><rdf:li>Ann Example</rdf:li></rdf:Seq></dc:creator>',
	'<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Rights of Ann</rdf:li></rdf:Alt></dc:rights>',
	"<dc:description>A SECRET place</dc:description></rdf:Description></rdf:RDF></x:xmpmeta>",
].join("");
/** XMP specification, part 3, section 1.1.2. */
const TRAILER = Uint8Array.of(1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0);
const block = (xmp: string) => concat([Uint8Array.of(0x21, 0xff, 11), ascii(`XMP DataXMP${xmp}`), TRAILER]);
const size = { width: 16, height: 12 };
const colours = [0, 80, 160, 240].map((grey) => [grey, 255 - grey, 0]);
const gif = (frames: number, blocks = [block(XMP)]) =>
	gifOf({
		...size,
		colours,
		blocks,
		frames: Array.from({ length: frames }, (_, at) => ({ ...size, colour: () => at })),
	});

async function xmpOf(bytes: Uint8Array<ArrayBuffer>, format: OutputFormat): Promise<string> {
	const xmp = format === "gif" ? gifXmp(bytes) : (await sharp(bytes).metadata()).xmp;
	return new TextDecoder().decode(xmp);
}

describe.each([1, 3])("a GIF of %i frames that says whose it is", (frames) => {
	test.each(["gif", "webp", "jpg", "png", "avif"] as const)("says so in its renditions as %s", async (format) => {
		for (const query of [`w=8&format=${format}`, `w=8&format=${format}&metadata=copyright`]) {
			const said = await xmpOf((await rendered(gif(frames), query, "gif")).bytes, format);
			expect([said.includes("Rights of Ann"), said.includes("Ann Example"), said.includes("SECRET")]).toEqual([
				true,
				true,
				false,
			]);
		}
		const all = await xmpOf((await rendered(gif(frames), `w=8&format=${format}&metadata=keep`, "gif")).bytes, format);
		expect([all.includes("Rights of Ann"), all.includes("SECRET")]).toEqual([true, true]);
		expect(await xmpOf((await rendered(gif(frames), `w=8&format=${format}&metadata=none`, "gif")).bytes, format)).toBe(
			"",
		);
	});
});

test("a rendition moves as before, and is served with what it says", async () => {
	const { bytes } = await rendered(gif(3), "w=8", "gif");
	expect((await sharp(bytes).metadata()).pages).toBe(3);
	const stream = () => new Blob([bytes]).stream();
	const blob = { bytes: bytes.length, path: undefined, read: async () => bytes, stream };
	expect(await strip({ blob, format: "gif", ...size })).toBeUndefined();
});

test("a GIF that says nothing, or nothing that can be read, has renditions that say nothing", async () => {
	for (const blocks of [[], [block("<x")], [block("")]]) {
		for (const format of ["gif", "webp"] as const)
			expect(await xmpOf((await rendered(gif(1, blocks), `w=8&format=${format}`, "gif")).bytes, format)).toBe("");
	}
});
