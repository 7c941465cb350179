import { describe, expect, test } from "bun:test";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { corpusDir, corpusNote } from "@svc/test/support/corpus";
import { masterOf, pixelsOf, RED, rendered } from "@svc/test/support/rendering";
import { sharpLooks } from "../kept/looks.ts";
import { sharpShrinker } from "../kept/shrink.ts";
import { strip } from "../metadata/strip.ts";
import { sharp } from "../sharp-settings.ts";
import { convertHeic } from "./heic.ts";
import { recogniseHeif, underKnownBrand } from "./heif-brands.ts";

const size = { width: 64, height: 48 };
const avif = await sharp({ create: { ...size, channels: 3, background: "#f00" } })
	.avif({ effort: 0 })
	.toBuffer();
/** How many brands there is room for behind the first one. */
const places = (avif.readUInt32BE(0) - 16) / 4;

/** The same file under other brands, its own coding or that of another format. */
function under(first: string, others: readonly string[], coding = "av1C"): Uint8Array<ArrayBuffer> {
	const file = Buffer.from(avif);
	file.write(first, 8, "latin1");
	for (let place = 0; place < places; place++)
		file.write(others[place] ?? others[0] ?? first, 16 + 4 * place, "latin1");
	file.write(coding, file.indexOf("av1C"), "latin1");
	return Uint8Array.from(file);
}

describe("what a file in boxes is taken for", () => {
	test.each([
		["avif", ["mif1"], "av1C", "avif"],
		["avis", ["avif", "msf1"], "av1C", "avif"],
		["avis", ["msf1"], "av1C", "avif"],
		["miaf", ["avif"], "av1C", "avif"],
		["avio", ["avif"], "av1C", "avif"],
		["MA1B", ["mif1", "avif"], "av1C", "avif"],
		["xxxx", ["avis"], "av1C", "avif"],
		["mif1", ["avif", "heic"], "av1C", "avif"],
		["heic", ["avif"], "av1C", "avif"],
		["heic", ["mif1"], "hvcC", "heic"],
		["heic", ["avif"], "hvcC", "heic"],
		["mif1", ["mif1"], "hvcC", "heic"],
		["msf1", ["mif1"], "hvcC", "heic"],
		["miaf", ["miaf"], "hvcC", "heic"],
		["hevc", ["msf1"], "hvcC", "heic"],
		["avif", ["mif1"], "hvcC", "heic"],
	] as const)("%s and %j with %s: %s", (first, others, coding, format) => {
		expect(recogniseHeif(under(first, others, coding))?.format).toBe(format);
	});

	test.each([
		["mif1", "av1C", "a HEIF file by its brands but holds AV1 pictures"],
		["heic", "av1C", "a HEIC file by its brands but holds AV1 pictures"],
		["avif", "avcC", "an AVIF file by its brands but holds AVC pictures"],
		["mif1", "vvcC", "a HEIF file by its brands but holds VVC pictures"],
		["mif1", "xxxx", "a HEIF file without HEVC pictures"],
	])("%s with %s is %s, which is not taken", (first, coding, kind) => {
		expect(recogniseHeif(under(first, ["mif1"], coding))).toEqual({ format: undefined, kind });
	});

	test("a moving picture without a still one says so, and a video is none of these", () => {
		const moving = Buffer.from(under("avis", ["msf1"]));
		moving.write("moov", moving.indexOf("pitm"), "latin1");
		expect(recogniseHeif(moving)?.kind).toBe("a moving picture without a still one to show");
		expect(recogniseHeif(under("isom", ["mp42"]))).toBeUndefined();
	});
});

describe.each(["avis", "miaf", "avio", "MA1B", "avif", "mif1"])("an AVIF whose first brand is %s", (first) => {
	const file = under(first, ["avif"]);
	const master = { ...masterOf(file, "avif"), ...size };
	const signal = new AbortController().signal;

	test("is rendered in every format, as PNG in its own pixels, and looked at", async () => {
		for (const format of ["png", "jpg", "webp", "avif", "gif"]) {
			const { bytes } = await rendered(file, `w=32&format=${format}`, "avif");
			const [r = 0, g = 255, b = 255] = (await pixelsOf(bytes)).at(5, 5);
			expect([format, r > 240 && g < 16 && b < 16]).toEqual([format, true]);
		}
		expect(await sharpLooks.header(master, { signal })).toEqual({ frames: 1, alpha: false });
		expect((await sharpLooks.picture(master, { signal })).width).toBe(64);
		expect((await sharpLooks.overview(master, { signal })).colour).toMatch(/^#f[ef]0[0-2]0[0-2]$/);
	});

	test("has copies, and is served under the brands with which it came", async () => {
		const shrinker = sharpShrinker({
			stage: () => Promise.reject(new Error("nothing is staged")),
			memory: (_, work) => work(),
		});
		const copy = (await shrinker.reduce(master, [2])).get(2) ?? new Uint8Array();
		expect((await sharp(copy).metadata()).width).toBe(32);
		const served = (await strip(master)) ?? file;
		expect(Buffer.from(served.subarray(8, 12)).toString("latin1")).toBe(first);
	});

	test("is read from the disk where the decoder knows that brand, and from a copy where it does not", async () => {
		await using dir = await mkdtempDisposable(join(tmpdir(), "svc-brands-"));
		const path = join(dir.path, "picture");
		await writeFile(path, file);
		const read = await underKnownBrand(path, "avif");
		expect(read === path).toBe(["avif", "mif1"].includes(first));
		expect(
			[...(await sharp(read).raw().toBuffer()).subarray(0, 3)].every(
				(value, at) => Math.abs(value - (RED[at] ?? 0)) < 3,
			),
		).toBe(true);
		expect(await readFile(path)).toEqual(Buffer.from(file));
	});
});

describe(`files of other programs${corpusNote}`, () => {
	const real = join(corpusDir ?? "", "real");

	test.skipIf(!corpusDir)("an animated AVIF is shown by its first picture", async () => {
		const file = new Uint8Array(await readFile(join(real, "b1-animated.avif")));
		expect((await pixelsOf((await rendered(file, "format=png", "avif")).bytes)).at(9, 9)).toEqual([255, 1, 1]);
	});

	test.skipIf(!corpusDir).each(["mif1", "msf1", "hevc", "hevx", "heim"])(
		"HEVC pictures under %s become a JPEG",
		async (first) => {
			await using dir = await mkdtempDisposable(join(tmpdir(), "svc-brands-"));
			const path = join(dir.path, "picture");
			const file = await readFile(join(real, "b3-mif1-hevc.heic"));
			file.write(first, 8, "latin1");
			await writeFile(path, file);
			expect(recogniseHeif(file)?.format).toBe("heic");
			expect(await convertHeic({ path, maxPixels: 50_000_000 })).toMatchObject({
				format: "jpg",
				width: 128,
				height: 96,
			});
		},
	);
});
