import { describe, expect, test } from "bun:test";
import { mkdtempDisposable, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { SourceFormat } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { corpusDir, corpusNote } from "@svc/test/support/corpus";
import { ascii, concat, viewOf } from "../bytes.ts";
import { segment } from "../jpeg/segments.ts";
import { sharp } from "../sharp-settings.ts";
import { sharpInspector } from "./inspect.ts";

const FORMATS: ReadonlySet<SourceFormat> = new Set(["jpg", "png", "gif", "webp", "avif", "heic"]);
const SEND = "send JPEG, PNG, GIF, WebP, AVIF or HEIC";
const inspector = sharpInspector({
	stage: () => Promise.reject(new Error("nothing is staged")),
	memory: (_, work) => work(),
	mostBytes: 640 * 1_024 ** 2,
	log: { warn: () => undefined },
});

/** The sentence under `file`. */
async function refusal(bytes: Uint8Array): Promise<string> {
	await using dir = await mkdtempDisposable(join(tmpdir(), "svc-kinds-"));
	const path = join(dir.path, "upload");
	await writeFile(path, bytes);
	const staged = { path, bytes: (await stat(path)).size, sha256: new Uint8Array(32), discard: () => rm(path) };
	const hints = { filename: "photo.jpg", contentType: undefined };
	return await inspector.inspect(staged, hints, { maxBytes: 20_000_000, formats: FORMATS }).then(
		() => "accepted",
		(error: unknown) => {
			if (!(error instanceof Failure)) throw error;
			return error.details?.file?.join() ?? "nothing under file";
		},
	);
}

const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: "#28c" } });
const jpeg = await picture.clone().jpeg().toBuffer();
const frameAt = jpeg.indexOf(Buffer.of(0xff, 0xc0));

/** The picture with some bytes of its frame overwritten: its marker, the bits of a sample, its height. */
function framed(change: { readonly marker?: number; readonly bits?: number; readonly height?: number }): Buffer {
	const file = Buffer.from(jpeg);
	if (change.marker !== undefined) file[frameAt + 1] = change.marker;
	if (change.bits !== undefined) file[frameAt + 4] = change.bits;
	if (change.height !== undefined) file.writeUInt16BE(change.height, frameAt + 5);
	return file;
}

describe("what is whole but not taken is refused by the name of its kind, and never as damaged", () => {
	test.each([
		["SOF3", framed({ marker: 0xc3 }), "a lossless JPEG file"],
		["SOF11", framed({ marker: 0xcb }), "a lossless JPEG file"],
		["SOF3 of 16 bits", framed({ marker: 0xc3, bits: 16 }), "a lossless JPEG file"],
		...[0xc5, 0xc6, 0xc7, 0xcd, 0xce, 0xcf, 0xde].map(
			(marker) => [marker.toString(16), framed({ marker }), "a hierarchical JPEG file"] as const,
		),
		["SOF55", framed({ marker: 0xf7 }), "a JPEG-LS file"],
	] as const)("a JPEG with %s", async (_, file, kind) => {
		expect(await refusal(file)).toBe(`is ${kind}, which browsers do not show; ${SEND}`);
	});

	test.each([0xc0, 0xc1, 0xc2, 0xc9])("a JPEG of 12 bits a sample, by the marker %i", async (marker) => {
		const said = `is a JPEG file of 12 bits a sample, of which browsers show 8; ${SEND}`;
		expect(await refusal(framed({ marker, bits: 12 }))).toBe(said);
	});

	test("a JPEG that says its height behind its picture", async () => {
		const said = `is a JPEG file that says its height behind its picture, which browsers do not show; ${SEND}`;
		expect(await refusal(framed({ height: 0 }))).toBe(said);
	});

	test("a lossless JPEG whose frame lies behind megabytes of profile and fill bytes", async () => {
		const segments = Array.from({ length: 40 }, () => segment(0xe2, new Uint8Array(65_000).fill(0xc3)));
		const far = (file: Uint8Array) =>
			concat([file.subarray(0, 2), ...segments, Uint8Array.of(0xff, 0xff, 0xff), file.subarray(2)]);
		expect(await refusal(far(framed({ marker: 0xc3 })))).toStartWith("is a lossless JPEG file");
		expect(await refusal(far(jpeg))).toBe("accepted");
	});

	test.each([
		["CgBI", "a PNG file in Apple's form for apps (CgBI)"],
		["ABCD", "a PNG file with a part ABCD"],
	])("a PNG with %s", async (part, kind) => {
		const png = await picture.clone().png().toBuffer();
		const chunk = concat([new Uint8Array(4), ascii(part), Uint8Array.of(0, 0, 0, 0), new Uint8Array(4)]);
		viewOf(chunk).setUint32(0, 4);
		viewOf(chunk).setUint32(12, crc32(chunk.subarray(4, 12)));
		const at = part === "CgBI" ? 8 : 33;
		const file = concat([png.subarray(0, at), chunk, png.subarray(at)]);
		expect(await refusal(file)).toBe(`is ${kind}, which browsers do not show; ${SEND}`);
	});

	test("a JPEG without its end is cut off", async () => {
		expect(await refusal(jpeg.subarray(0, -20))).toBe("looks like JPEG but is cut off: its end is missing");
	});

	test.each([0xc0, 0xc1])("and what is shown is taken: the marker %i", async (marker) => {
		expect(await refusal(framed({ marker }))).toBe("accepted");
	});

	test.skipIf(!corpusDir).each(["g1-lossless.jpg", "g2-lossless-grey.jpg"])(
		`%s, of another program${corpusNote}`,
		async (name) => {
			expect(await refusal(await readFile(join(corpusDir ?? "", "real", name)))).toStartWith(
				"is a lossless JPEG file, ",
			);
		},
	);
});
