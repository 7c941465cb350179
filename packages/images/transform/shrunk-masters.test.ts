import { expect, test } from "bun:test";
import { shrunkExtent, shrunkFactorsOf, shrunkMasterFor } from "./shrunk-masters.ts";

test.each([
	[1_500, 1_000, []],
	[1_501, 1_000, [2]],
	[2_000, 2_000, [2, 4]],
	[2_560, 2_500, [2, 4]],
	[2_561, 2_500, [4]],
	[4_032, 3_024, [4, 8]],
	[8_064, 6_048, [8, 16]],
	[40_000, 101, [2, 4, 8, 16, 32, 64]],
])("%i×%i is kept divided by %p as well", (width, height, factors) => {
	expect(shrunkFactorsOf({ width, height, format: "jpg" })).toEqual(factors);
});

test("the copies of twelve megapixels have a million pixels together", () => {
	const pixels = shrunkFactorsOf({ width: 4_032, height: 3_024, format: "jpg" })
		.map((factor) => shrunkExtent({ width: 4_032, height: 3_024 }, factor))
		.reduce((sum, { width, height }) => sum + width * height, 0);
	expect(pixels).toBe(952_560);
});

test("of what is no JPEG only that of more than four megapixels", () => {
	expect(shrunkFactorsOf({ width: 2_000, height: 2_000, format: "png" })).toEqual([]);
	expect(shrunkFactorsOf({ width: 2_001, height: 2_000, format: "png" })).toEqual([2, 4]);
});

test("an AVIF that is large is kept at its own size as well, which takes the place of all that no smaller one can", () => {
	expect(shrunkFactorsOf({ width: 4_032, height: 3_024, format: "avif" })).toEqual([1, 2, 4, 8]);
	expect(shrunkFactorsOf({ width: 2_000, height: 2_000, format: "avif" })).toEqual([]);
	const copies = { format: "avif", factors: [1, 2, 4] };
	expect(shrunkMasterFor(square(4_032), square(5_000), copies)).toBe(1);
	expect(shrunkMasterFor(square(4_032), square(1_008), copies)).toBe(2);
});

test("a copy keeps at least one pixel", () => {
	expect(shrunkExtent({ width: 40_000, height: 101 }, 64)).toEqual({ width: 625, height: 2 });
	expect(shrunkExtent({ width: 9, height: 1 }, 4)).toEqual({ width: 2, height: 1 });
});

const square = (side: number) => ({ width: side, height: side });

test.each([
	[4_032, 640, 2],
	[4_032, 504, 4],
	[4_032, 252, 8],
	[4_032, 1_008, 2],
	[4_032, 1_009, undefined],
	[4_032, 5_000, undefined],
	[8_064, 504, 8],
	[8_064, 505, 4],
	[8_064, 252, 16],
])("of %i pixels to %i the copy divided by %p is used", (from, to, factor) => {
	const copies = { format: "png", factors: [2, 4, 8, 16] };
	expect(shrunkMasterFor(square(from), square(to), copies)).toBe(factor as number);
});

test.each([
	[4_032, 1_185, 2],
	[4_032, 1_186, undefined],
	[4_032, 672, 4],
	[4_032, 673, 2],
	[4_032, 336, 8],
	[4_032, 337, 4],
])("of a JPEG of %i pixels to %i that divided by %p, which may be smaller", (from, to, factor) => {
	const copies = { format: "jpg", factors: [2, 4, 8, 16] };
	expect(shrunkMasterFor(square(from), square(to), copies)).toBe(factor as number);
});

test("the axis that shrinks less decides", () => {
	const copies = { format: "png", factors: [2, 4] };
	expect(shrunkMasterFor({ width: 4_000, height: 1_000 }, { width: 400, height: 500 }, copies)).toBeUndefined();
});
