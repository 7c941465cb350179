import { describe, expect, test } from "bun:test";
import { bytesOf, drawn, look, type Pixel, painted, RED, rendered, WHITE } from "@svc/test/support/rendering";
import { applyTone, toneOf } from "./steps/tone.ts";

/** 256×8, each column one grey. */
const ramp = await painted(256, 8, (x) => [x, x, x]);
/** 64×32, black on the left and white on the right. */
const edge = await painted(64, 32, (x) => (x < 32 ? [40, 40, 40] : [200, 200, 200]));
/** 40×20: opaque red on the left, nothing on the right. */
const half = await painted(40, 20, (x) => (x < 20 ? [...RED, 255] : [0, 0, 0, 0]));

async function greys(query: string, ...values: number[]): Promise<(number | undefined)[]> {
	const { at } = await look(ramp, query);
	return values.map((value) => at(value, 4)[0]);
}

/** How many pixels the edge takes to get from one side to the other. */
async function softness(query: string): Promise<number> {
	const { at } = await look(edge, query);
	return Array.from({ length: 64 }, (_, x) => at(x, 16)[0] ?? 0).filter((value) => value > 50 && value < 190).length;
}

describe("tones", () => {
	test("multiplies [cdn.brightness]", async () => {
		expect(await greys("brightness=2", 0, 60, 200)).toEqual([0, 120, 255]);
		expect(await greys("brightness=0", 0, 60, 255)).toEqual([0, 0, 0]);
		expect(await greys("brightness=0.5", 100, 200)).toEqual([50, 100]);
	});

	test("stretches around the middle [cdn.contrast]", async () => {
		expect(await greys("contrast=2", 100, 128, 150)).toEqual([73, 129, 173]);
		expect(await greys("contrast=0", 0, 255)).toEqual([128, 128]);
	});

	test("bends the midtones and keeps the ends [cdn.gamma.above-1-darkens, cdn.gamma.below-1-lightens]", async () => {
		expect(await greys("gamma=2", 0, 128, 255)).toEqual([0, 64, 255]);
		expect(await greys("gamma=0.5", 0, 128, 255)).toEqual([0, 181, 255]);
	});

	test("all three go through one table, in this order, without clipping between", async () => {
		expect(await greys("brightness=2&contrast=0.5", 200)).toEqual([255]);
		expect(await greys("brightness=2&contrast=0.5&gamma=2", 64)).toEqual([64]);
		expect(toneOf({})).toBeUndefined();
		expect(toneOf({ saturation: 2 })?.table).toBeUndefined();
	});

	test("follows Rec. 709 [cdn.saturation, cdn.saturation.zero-gray]", async () => {
		const colour = await painted(8, 8, () => [200, 80, 40]);
		expect((await look(colour, "saturation=0")).at(4, 4)).toEqual([103, 103, 103]);
		expect((await look(colour, "saturation=2")).at(4, 4)).toEqual([255, 57, 0]);
	});

	test("1 changes nothing, nor does what is out of range [cdn.gamma.no-op, cdn.gamma.range]", async () => {
		const plain = (await rendered(ramp, "w=256")).bytes;
		const same = [
			"gamma=0",
			"gamma=1",
			"gamma=11",
			"gamma=-1",
			"brightness=1",
			"brightness=11",
			"contrast=1",
			"contrast=11",
		];
		for (const query of [...same, "saturation=1", "saturation=11"]) {
			expect([query, (await rendered(ramp, `w=256&${query}`)).bytes]).toEqual([query, plain]);
		}
		expect((await rendered(ramp, "w=256&gamma=2")).bytes).not.toEqual(plain);
	});

	test("alpha is no colour", async () => {
		expect((await look(half, "brightness=0")).at(5, 5)).toEqual([0, 0, 0, 255]);
		expect((await look(half, "saturation=0")).at(35, 5)[3]).toBe(0);
	});

	test("works on every pixel of a picture of several chunks", async () => {
		const pixels = new Uint8Array(300_001 * 3).fill(100);
		await applyTone(pixels, 3, { table: undefined, saturation: 0 });
		await applyTone(pixels, 3, { table: Uint8Array.from({ length: 256 }, (_, value) => 255 - value), saturation: 1 });
		expect([pixels[0], pixels.at(-1), pixels.every((value) => value === 155)]).toEqual([155, 155, true]);
	});
});

describe("sharpness", () => {
	test("a larger radius is softer, by any way of computing it [cdn.blur.gaussian]", async () => {
		const [none, some, more] = [await softness(""), await softness("blur=4"), await softness("blur=12")];
		expect(none).toBeLessThan(some);
		expect(some).toBeLessThan(more);
		expect((await look(edge, "blur=250")).at(0, 0)[0]).toBeGreaterThan(80);
	});

	test("a radius of 0 and what is no whole number to 250 changes nothing [cdn.blur.range]", async () => {
		const plain = (await rendered(edge, "w=64")).bytes;
		for (const query of ["blur=0", "blur=251", "blur=1.5", "sharp=0", "sharp=11"]) {
			expect([query, (await rendered(edge, `w=64&${query}`)).bytes]).toEqual([query, plain]);
		}
	});

	test("a wide blur through a small picture looks like a plain one", async () => {
		const wide = await painted(600, 40, (x) => (x < 300 ? [0, 0, 0] : WHITE));
		const [plain, shrunk] = [await look(wide, "blur=120"), await look(wide, "blur=121")];
		for (let x = 0; x < 600; x += 20) {
			expect(Math.abs((plain.at(x, 20)[0] ?? 0) - (shrunk.at(x, 20)[0] ?? 0))).toBeLessThan(6);
		}
	});

	test("raises the contrast of an edge and leaves plain areas alone [cdn.sharp]", async () => {
		const soft = await painted(64, 32, (x) => {
			const value = Math.max(40, Math.min(200, 120 + (x - 32) * 20));
			return [value, value, value];
		});
		const [before, after] = [await look(soft, "w=64"), await look(soft, "sharp=5")];
		const spread = ({ at }: { at(x: number, y: number): Pixel }) => (at(37, 16)[0] ?? 0) - (at(28, 16)[0] ?? 0);
		expect(spread(after)).toBeGreaterThan(spread(before));
		expect(Math.abs((after.at(4, 16)[0] ?? 0) - 40)).toBeLessThan(3);
	});

	test("comes before the bars, which stay clean", async () => {
		const boxed = await look(edge, "w=64&h=64&fit=pad&background=lime&blur=20");
		expect(boxed.at(32, 14)).toEqual([0, 255, 0]);
		expect(boxed.at(2, 17)[1]).toBeLessThan(60);
	});
});

describe("background", () => {
	test("fills what is transparent [cdn.background.named, cdn.background.hex, cdn.background.rgb, cdn.background.fills-transparent]", async () => {
		for (const [query, colour] of [
			["background=blue", [0, 0, 255]],
			["background=%2300ff00", [0, 255, 0]],
			["background=rgb(1,2,3)", [1, 2, 3]],
		] as const) {
			const filled = await look(half, query);
			expect([filled.at(5, 5), filled.at(35, 5)]).toEqual([RED, [...colour]]);
		}
	});

	test("a translucent one stays translucent where the format can [cdn.background.rgba]", async () => {
		const query = "background=rgba(0,0,255,0.5)";
		expect((await look(half, query)).at(35, 5)).toEqual([0, 0, 255, 128]);
		expect((await look(half, query)).at(5, 5)).toEqual([...RED, 255]);
		expect((await look(half, `${query}&saturation=2`)).at(35, 5)).toEqual([0, 0, 255, 128]);
		const [r = 0, g = 0, b = 0] = (await look(half, `${query}&format=jpg&q=100`)).at(36, 5);
		expect([Math.abs(r - 128) < 5, Math.abs(g - 128) < 5, b > 250]).toEqual([true, true, true]);
	});

	test("without one, formats with alpha stay transparent [cdn.background.omitted-alpha]", async () => {
		for (const format of ["png", "webp", "avif", "gif"]) {
			expect([format, (await look(half, `format=${format}&w=40`)).at(36, 5)[3]]).toEqual([format, 0]);
		}
	});

	test("without one, JPEG is white, and so is a card [cdn.background.omitted-white]", async () => {
		expect((await look(half, "format=jpg&q=100")).at(36, 5)).toEqual(WHITE);
		expect((await look(half, "size=social&format=png")).at(1_190, 300)).toEqual(WHITE);
	});

	test("keeps its colour behind and beside a picture in greys [cdn.background.fills-transparent]", async () => {
		for (const space of ["b-w", "grey16"]) {
			const picture = drawn(20, 20, () => [60, 60, 60, 128]).toColourspace(space);
			const { at } = await look(await bytesOf(picture.png()), "w=40&h=20&fit=pad&background=lime");
			expect([space, at(2, 10)]).toEqual([space, [0, 255, 0]]);
			const [red = 0, green = 0, blue = 0] = at(20, 10);
			expect([space, red, green > 150, blue]).toEqual([space, blue, true, red]);
		}
	});

	test("is not touched by tones", async () => {
		expect((await look(half, "brightness=0&background=lime")).at(35, 5)).toEqual([0, 255, 0]);
	});
});
