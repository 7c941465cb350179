import { describe, expect, test } from "bun:test";
import { bytesOf, drawn, masterOf, type Pixel, pixelsOf, rendered } from "@svc/test/support/rendering";
import {
	avifWith,
	cicp,
	gama,
	nclx,
	plainAvif,
	plainPng,
	pngChunk,
	pngWith,
	premultiplied,
	wholes,
} from "@svc/test/support/said-colours";
import { ascii } from "../bytes.ts";
import { boxOf } from "../heif/primary.ts";
import { analysisPicture } from "../kept/analysis.ts";
import { colourOf, fromAfar } from "../kept/placeholder.ts";
import { sharpShrinker } from "../kept/shrink.ts";
import { described } from "../render/container.ts";
import { sharp } from "../sharp-settings.ts";
import { DISPLAY_P3, SRGB_CURVE } from "./numbers.ts";
import { profileOf } from "./profile.ts";
import { inSaidColours } from "./said-colours.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const STORED = [200, 100, 50];
const SIZE = { width: 32, height: 16 };

const png = await plainPng(STORED);
const avif = await plainAvif(STORED);
const deepAvif = await plainAvif(STORED, 10);

/** The primaries of sRGB and of Display P3, as cHRM has them. */
const OF_SRGB = pngChunk("cHRM", wholes(4, 31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000));
const OF_P3 = pngChunk("cHRM", wholes(4, 31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000));
const SRGB = pngChunk("sRGB", Uint8Array.of(0));

/** What Chromium 140 shows of a square of (200, 100, 50), by what a PNG says about it. */
const PNGS: readonly (readonly [string, readonly Uint8Array[], Pixel])[] = [
	["nothing", [], STORED],
	["cICP of Display P3", [cicp(12, 13)], [215, 93, 31]],
	["cICP of BT.2020", [cicp(9, 13)], [241, 76, 29]],
	["cICP of BT.709, as a screen shows it", [cicp(1, 1)], [197, 91, 39]],
	["cICP of BT.470 System M", [cicp(4, 13)], [232, 93, 30]],
	["cICP of DCI-P3", [cicp(11, 13)], [211, 93, 32]],
	["cICP of SMPTE 170M", [cicp(6, 13)], [196, 102, 49]],
	["cICP of EBU 3213", [cicp(22, 13)], [202, 102, 49]],
	["cICP of gamma 2.8", [cicp(1, 5)], [189, 76, 26]],
	["cICP of SMPTE 240M", [cicp(1, 7)], [206, 115, 68]],
	["cICP of SMPTE 428", [cicp(1, 17)], [200, 87, 34]],
	["cICP before sRGB", [SRGB, cicp(12, 13)], [215, 93, 31]],
	["cICP that says nothing, before gAMA", [cicp(2, 2), gama(100_000)], [229, 168, 122]],
	["cICP of a part of the range", [pngChunk("cICP", Uint8Array.of(12, 13, 0, 0))], STORED],
	["sRGB before gAMA", [SRGB, gama(100_000)], STORED],
	["gAMA of light itself", [gama(100_000)], [229, 168, 122]],
	["gAMA of light itself and cHRM", [gama(100_000), OF_SRGB], [229, 168, 122]],
	["gAMA of 1.8", [gama(55_556)], [210, 119, 65]],
	["gAMA of about sRGB", [gama(45_455)], STORED],
	["gAMA of 2.2 and cHRM", [gama(45_455), OF_SRGB], [201, 100, 46]],
	["gAMA of 2.2 and cHRM of Display P3", [gama(45_455), OF_P3], [216, 93, 24]],
	["cHRM alone", [OF_P3], STORED],
	["cHRM of no colours", [gama(100_000), pngChunk("cHRM", new Uint8Array(32))], STORED],
	["gAMA of nothing", [gama(0)], STORED],
];

/** The same, by what an AVIF says. */
const AVIFS: readonly (readonly [number, number, Pixel])[] = [
	[1, 13, STORED],
	[2, 2, STORED],
	[1, 1, STORED],
	[1, 99, STORED],
	[12, 0, STORED],
	[50, 13, STORED],
	[12, 13, [215, 93, 31]],
	[12, 1, [215, 93, 31]],
	[12, 2, [215, 93, 31]],
	[9, 14, [241, 76, 29]],
	[9, 15, [241, 76, 29]],
	[9, 4, [243, 75, 21]],
	[1, 4, [201, 100, 46]],
	[1, 5, [189, 76, 26]],
	[1, 7, [206, 115, 68]],
	[1, 8, [229, 168, 122]],
	[1, 17, [200, 87, 34]],
	[10, 13, [255, 0, 61]],
];

function distance(one: Pixel, other: Pixel): number {
	return Math.max(...other.map((channel, index) => Math.abs(channel - (one[index] ?? 255))));
}

async function shown(file: Bytes, format: "png" | "avif", query = "w=16&format=png"): Promise<Pixel> {
	const { width, height, at } = await pixelsOf((await rendered(file, query, format)).bytes);
	return at(width >> 1, height >> 1);
}

describe("colours that a file says by numbers", () => {
	test("a PNG comes out as browsers show it: cICP before a profile, sRGB before gAMA and cHRM", async () => {
		for (const [name, chunks, expected] of PNGS) {
			const pixel = await shown(pngWith(png, ...chunks), "png");
			expect([name, pixel, distance(pixel, expected) <= 2]).toEqual([name, pixel, true]);
		}
	});

	test("an AVIF comes out as browsers show it, of 8 bits and of more", async () => {
		for (const [primaries, transfer, expected] of AVIFS) {
			for (const file of [avif, deepAvif]) {
				const pixel = await shown(await avifWith(file, nclx(primaries, transfer)), "avif");
				const told = [primaries, transfer, file === avif, pixel];
				expect([...told, distance(pixel, expected) <= 3]).toEqual([...told, true]);
			}
		}
	});

	test("a profile comes before the numbers of an AVIF and behind those of a PNG", async () => {
		const icc = profileOf({ primaries: DISPLAY_P3, transfer: SRGB_CURVE }) ?? new Uint8Array();
		const dressed = await avifWith(await avifWith(avif, nclx(1, 8)), boxOf("colr", ascii("prof"), icc));
		expect(distance(await shown(dressed, "avif"), [215, 93, 31])).toBeLessThanOrEqual(3);
		const profiled = new Uint8Array(described(png, "png", { icc }, SIZE));
		expect(distance(await shown(profiled, "png"), [215, 93, 31])).toBeLessThanOrEqual(2);
		for (const query of ["w=16&format=png", "w=16&format=png&metadata=keep"]) {
			expect(distance(await shown(pngWith(profiled, cicp(1, 8)), "png", query), [229, 168, 122])).toBeLessThanOrEqual(
				2,
			);
		}
	});

	test("in 16 bits, in greys and with a palette they count too", async () => {
		const light = [229, 168, 122];
		const deep = await bytesOf(
			drawn(32, 16, () => STORED)
				.toColourspace("rgb16")
				.png(),
		);
		expect(distance(await shown(pngWith(deep, gama(100_000)), "png"), light)).toBeLessThanOrEqual(2);
		const palette = await bytesOf(drawn(32, 16, () => STORED).png({ palette: true }));
		expect(distance(await shown(pngWith(palette, gama(100_000)), "png"), light)).toBeLessThanOrEqual(2);
		for (const space of ["b-w", "grey16"]) {
			const grey = drawn(32, 16, () => [100, 100, 100]).toColourspace(space);
			const file = pngWith(await bytesOf(grey.png()), gama(100_000));
			expect([space, distance(await shown(file, "png"), [168, 168, 168]) <= 2]).toEqual([space, true]);
		}
	});

	test("16 bits of light itself keep their darks", async () => {
		// 16 of 65,535: less than one of 255, of which nothing would be left.
		const samples = Uint16Array.from({ length: 32 * 16 * 3 }, () => 160);
		const dark = sharp(samples, { raw: { ...SIZE, channels: 3 } }).toColourspace("rgb16");
		expect(
			distance(await shown(pngWith(await bytesOf(dark.png()), gama(100_000)), "png"), [8, 8, 8]),
		).toBeLessThanOrEqual(1);
	});

	test("count on every way through the pipeline, for placeholders, copies, analysis and what lies over other pictures", async () => {
		const seen = [215, 93, 31];
		const files = [
			["png", pngWith(png, cicp(12, 13))],
			["avif", await avifWith(avif, nclx(12, 13))],
		] as const;
		const queries = [
			"",
			"rotate=90",
			"blur=2",
			"w=40&h=40&fit=pad&background=lime",
			"metadata=keep",
			"w=16&format=jpg&q=100",
			"format=webp&lossless=true",
			"crop=0,0,8,8",
		];
		for (const [format, file] of files) {
			for (const query of queries) {
				const pixel = await shown(file, format, query.includes("format") ? query : `${query}&format=png`);
				expect([format, query, pixel, distance(pixel, seen) <= 3]).toEqual([format, query, pixel, true]);
			}
			const hex = Buffer.from(colourOf(await fromAfar(file)).slice(1), "hex");
			expect(distance([...hex], seen)).toBeLessThanOrEqual(3);
			expect(distance([...(await analysisPicture(file)).data.subarray(0, 3)], seen)).toBeLessThanOrEqual(3);
			const memory = <T>(_: number, work: () => Promise<T>) => work();
			const { reduce } = sharpShrinker({ stage: () => Promise.reject(new Error("not needed")), memory });
			const copy = (await reduce({ ...masterOf(file, format), ...SIZE }, [2])).get(2) ?? new Uint8Array();
			expect(distance((await pixelsOf(copy)).at(8, 4), seen)).toBeLessThanOrEqual(3);
			const { bytes } = await rendered(await plainPng([0, 0, 0]), "w=64", "png", { tile: masterOf(file, format) });
			expect(distance((await pixelsOf(bytes)).at(2, 2), seen)).toBeLessThanOrEqual(3);
		}
	});

	test("a file of sRGB, or without numbers, is read as it is stored", async () => {
		for (const file of [png, avif, pngWith(png, SRGB, gama(45_455)), await avifWith(avif, nclx(1, 13))]) {
			const header = await sharp(file).metadata();
			expect(await inSaidColours(file, header)).toEqual({ input: file, header });
		}
	});
});

describe("PQ and HLG", () => {
	/** sRGB's number of so much light, of which 203 cd/m² are white (BT.2408). */
	const code = (light: number) => 255 * (1.055 * (light / 203) ** (1 / 2.4) - 0.055);
	/** By BT.2100: numbers of greys of 50, 203 and 1,000 cd/m², of the last two of which BT.2390 shows 160 and 203. */
	const GREYS = {
		16: [0.4403, 0.5807, 0.7518],
		18: [0.4979, 0.75, 1],
	} as const;
	const SHOWN = [code(50), code(160), 255];

	test.each([16, 18] as const)(
		"greys are shown by the curve of BT.2390, of 8 bits and of more (%i)",
		async (transfer) => {
			for (const [index, share] of GREYS[transfer].entries()) {
				const expected = [SHOWN[index] ?? 0, SHOWN[index] ?? 0, SHOWN[index] ?? 0];
				const stored = Array.from({ length: 3 }, () => Math.round(255 * share));
				const deep = await bytesOf(
					drawn(32, 16, () => stored)
						.toColourspace("rgb16")
						.png(),
				);
				const grey = await bytesOf(
					drawn(32, 16, () => stored)
						.toColourspace("b-w")
						.png(),
				);
				const pngs = [await plainPng(stored), deep, grey].map(
					(file) => ["png", pngWith(file, cicp(9, transfer))] as const,
				);
				const avifs = [await plainAvif(stored), await plainAvif(stored, 10)].map(
					async (file) => ["avif", await avifWith(file, nclx(9, transfer))] as const,
				);
				for (const [format, file] of [...pngs, ...(await Promise.all(avifs))]) {
					const pixel = await shown(file, format);
					expect([format, share, pixel, distance(pixel, expected) <= 6]).toEqual([format, share, pixel, true]);
				}
			}
		},
	);

	test.each([16, 18] as const)(
		"colours keep their hue, and none of them are the numbers taken for sRGB's (%i)",
		async (transfer) => {
			for (const stored of [
				[120, 90, 70],
				[70, 120, 90],
				[70, 90, 120],
				[200, 100, 50],
				[140, 110, 95],
			]) {
				const file = pngWith(await plainPng(stored), cicp(9, transfer));
				const pixel = await shown(file, "png");
				const order = (colour: Pixel) =>
					[0, 1, 2].toSorted((one, other) => (colour[other] ?? 0) - (colour[one] ?? 0))[0];
				expect([stored, pixel, order(pixel)]).toEqual([stored, pixel, order(stored)]);
				expect([stored, pixel, distance(pixel, stored) > 15]).toEqual([stored, pixel, true]);
				expect(distance(await shown(file, "png", "w=16&metadata=keep&format=png"), pixel)).toBe(0);
			}
		},
	);
});

describe("a premultiplied AVIF", () => {
	const stored = async (colour: Pixel) =>
		await premultiplied(
			await bytesOf(drawn(32, 16, () => colour).avif({ quality: 100, effort: 0, chromaSubsampling: "4:4:4" })),
		);

	test("is divided by its alpha in renditions, on white, in copies, and over other pictures", async () => {
		const file = await stored([128, 50, 25, 128]);
		expect(distance(await shown(file, "avif"), [255, 100, 50, 128])).toBeLessThanOrEqual(4);
		expect(distance(await shown(file, "avif", "w=16&format=jpg&q=100"), [255, 177, 152])).toBeLessThanOrEqual(3);
		const hex = Buffer.from(colourOf(await fromAfar(file)).slice(1), "hex");
		expect(distance([...hex], [255, 100, 50])).toBeLessThanOrEqual(3);
		expect(distance([...(await analysisPicture(file)).data.subarray(0, 3)], [255, 177, 152])).toBeLessThanOrEqual(3);
		const { bytes } = await rendered(await plainPng([255, 255, 255]), "w=64", "png", { tile: masterOf(file, "avif") });
		expect(distance((await pixelsOf(bytes)).at(2, 2), [255, 177, 152])).toBeLessThanOrEqual(3);
	});

	test("is divided before its colours are converted", async () => {
		const file = await avifWith(await stored([100, 50, 25, 128]), nclx(12, 13));
		expect(distance(await shown(file, "avif"), [215, 93, 31, 128])).toBeLessThanOrEqual(5);
	});
});
