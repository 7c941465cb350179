import { describe, expect, test } from "bun:test";
import { bytesOf, drawn, look, masterOf, type Pixel, painted, pixelsOf, RED } from "@svc/test/support/rendering";
import { ascii, concat, viewOf } from "../bytes.ts";
import { colourOf, fromAfar } from "../kept/placeholder.ts";
import { sharpShrinker } from "../kept/shrink.ts";
import { sharp } from "../sharp-settings.ts";
import { described } from "./container.ts";

const SIZE = { width: 32, height: 16 };
/** Near the edge of sRGB, so that its numbers in Display P3 are quite others. */
const STRONG = [218, 24, 41];

/** A plain picture of this sRGB colour, stored in Display P3. */
async function wideGamut(depth: 8 | 16, colour: Pixel = STRONG): Promise<Uint8Array<ArrayBuffer>> {
	const image = drawn(SIZE.width, SIZE.height, () => colour).withIccProfile("p3");
	return await bytesOf((depth === 16 ? image.toColourspace("rgb16") : image).png());
}

/** Of 16 bits, and all of it the same grey, whose light the profile says is in proportion to its number. */
async function linearGrey(value: number): Promise<Uint8Array<ArrayBuffer>> {
	const image = drawn(SIZE.width, SIZE.height, () => [value, value, value]).toColourspace("grey16");
	return new Uint8Array(described(await bytesOf(image.png()), "png", { icc: linearProfile() }, SIZE));
}

/** The smallest that colour management takes (ICC.1, section 8.3): a white point, and a curve that is none. */
function linearProfile(): Uint8Array {
	const text = concat([ascii("text"), new Uint8Array(5), new Uint8Array(3)]);
	const description = concat([ascii("desc"), new Uint8Array(7), Uint8Array.of(1), new Uint8Array(80)]);
	const white = concat([ascii("XYZ "), new Uint8Array(4), ...D50]);
	const curve = concat([ascii("curv"), new Uint8Array(8)]);
	const tags = { desc: description, cprt: text, wtpt: white, kTRC: curve };
	const start = 128 + 4 + 12 * Object.keys(tags).length;
	const table: Uint8Array[] = [number(Object.keys(tags).length)];
	let at = start;
	for (const [name, tag] of Object.entries(tags)) {
		table.push(ascii(name), number(at), number(tag.length));
		at += tag.length;
	}
	const header = new Uint8Array(128);
	header.set(number(at), 0);
	header.set(number(0x02_40_00_00), 8);
	header.set(ascii("mntrGRAYXYZ "), 12);
	header.set(ascii("acsp"), 36);
	header.set(concat(D50), 68);
	return concat([header, ...table, ...Object.values(tags)]);
}

function number(value: number): Uint8Array {
	const bytes = new Uint8Array(4);
	viewOf(bytes).setUint32(0, value);
	return bytes;
}

const D50 = [0xf6d6, 0x1_0000, 0xd32d].map(number);

function distance(one: Pixel, other: Pixel): number {
	return Math.max(...one.slice(0, 3).map((channel, index) => Math.abs(channel - (other[index] ?? 0))));
}

describe("a picture of 16 bits a sample", () => {
	test("of a wide gamut comes out in sRGB on every way through the pipeline, as one of 8 bits does", async () => {
		const [deep, usual] = [await wideGamut(16), await wideGamut(8)];
		expect((await sharp(deep).metadata()).depth).toBe("ushort");
		expect(
			distance((await pixelsOf(await bytesOf(sharp(deep, { ignoreIcc: true }).png()))).at(2, 2), STRONG),
		).toBeGreaterThan(15);
		for (const query of ["w=16", "rotate=90", "blur=2", "w=40&h=40&fit=pad&background=lime", "format=jpg&q=100"]) {
			for (const file of [deep, usual]) {
				const { width, height, at } = await look(file, query);
				expect([query, distance(at(width >> 1, height >> 1), STRONG) <= 2]).toEqual([query, true]);
			}
		}
	});

	test("keeps its own colours along with its profile", async () => {
		const { at } = await look(await wideGamut(16), "w=16&metadata=keep");
		expect(distance(at(8, 4), STRONG)).toBeLessThanOrEqual(2);
	});

	test("without a profile is left as it is, transparent or not", async () => {
		for (const colour of [STRONG, [...STRONG, 128]]) {
			const deep = await bytesOf(
				drawn(32, 16, () => colour)
					.toColourspace("rgb16")
					.png(),
			);
			expect(distance((await look(deep, "w=16")).at(8, 4), STRONG)).toBeLessThanOrEqual(1);
		}
	});

	test("of greys is read by its profile", async () => {
		// sRGB of an eighth of the light: 12.92 and 1.055 are its two parts (IEC 61966-2-1).
		const shown = 255 * (1.055 * (32 / 255) ** (1 / 2.4) - 0.055);
		const { at } = await look(await linearGrey(32), "w=16");
		expect(distance(at(8, 4), [shown, shown, shown])).toBeLessThanOrEqual(3);
	});

	test("of greys with a profile takes bars and tiles in their own colours", async () => {
		const grey = await linearGrey(32);
		const bars = "w=40&h=40&fit=pad&format=png&background=rgba(0,255,0,0.5)";
		expect((await look(grey, bars)).at(2, 2)).toEqual([0, 255, 0, 128]);
		const tile = masterOf(await painted(8, 8, () => RED), "png");
		expect((await look(grey, "w=16", { tile })).at(2, 2)).toEqual(RED);
	});

	test("has a placeholder and copies of the same colour", async () => {
		const deep = await wideGamut(16);
		const hex = Buffer.from(colourOf(await fromAfar(deep)).slice(1), "hex");
		expect(distance([...hex], STRONG)).toBeLessThanOrEqual(2);
		const { reduce } = sharpShrinker({
			stage: () => Promise.reject(new Error("not needed")),
			memory: (_, work) => work(),
		});
		const copy = (await reduce({ ...masterOf(deep, "png"), ...SIZE }, [2])).get(2);
		expect(distance((await pixelsOf(copy ?? new Uint8Array())).at(8, 4), STRONG)).toBeLessThanOrEqual(3);
	});
});
