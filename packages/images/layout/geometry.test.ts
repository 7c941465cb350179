import { describe, expect, test } from "bun:test";
import { OUTPUT_FORMATS, type OutputFormat } from "@svc/base/enumerations";
import fc from "fast-check";
import { parseTransform } from "../transform/transform.ts";
import { boundsOf } from "./bounds.ts";
import type { Box, Extent } from "./extent.ts";
import { layoutOf, type MasterShape, sizeOf } from "./geometry.ts";
import { inverse, turnedBox, turnedExtent, turnOf } from "./turn.ts";

function layout(picture: MasterShape, query: string) {
	return layoutOf(picture, parseTransform(new URLSearchParams(query)));
}

function output(width: number, height: number, query: string): [number, number] {
	const { output } = layout({ width, height }, query);
	return [output.width, output.height];
}

const side = fc.integer({ min: 1, max: 12_000 });
const wanted = fc.integer({ min: 1, max: 4_096 });
const fit = fc.constantFrom("scale-down", "contain", "cover", "crop", "pad", "squeeze");
const rotate = fc.constantFrom(0, 90, 180, 270);

describe("size", () => {
	test("bounds the short side and keeps the ratio [cdn.size.s, cdn.size.m, cdn.size.l]", () => {
		expect(output(2_000, 1_000, "size=s")).toEqual([640, 320]);
		expect(output(1_000, 2_000, "size=s")).toEqual([320, 640]);
		expect(output(2_000, 1_000, "size=m")).toEqual([1_280, 640]);
		expect(output(4_320, 2_160, "size=l")).toEqual([2_160, 1_080]);
		expect(sizeOf(100, 50, "s")).toEqual({ width: 100, height: 50 });
	});

	test("what an Image promises in sizes is what a rendition has", () => {
		fc.assert(
			fc.property(side, side, fc.constantFrom("s" as const, "m" as const, "l" as const), (width, height, size) => {
				expect(layoutOf({ width, height }, { size }).output).toEqual(sizeOf(width, height, size));
			}),
		);
	});

	test("social is always 1200×630 [cdn.size.social]", () => {
		fc.assert(
			fc.property(side, side, (width, height) => expect(output(width, height, "size=social")).toEqual([1_200, 630])),
		);
	});
});

describe("w and h", () => {
	test("one alone scales proportionally [cdn.w-alone, cdn.h-alone]", () => {
		expect(output(400, 200, "w=100")).toEqual([100, 50]);
		expect(output(400, 200, "h=100")).toEqual([200, 100]);
		expect(output(400, 200, "w=800")).toEqual([400, 200]);
		expect(output(400, 200, "w=800&fit=cover")).toEqual([800, 400]);
		expect(output(3, 9_000, "w=4000&fit=cover")).toEqual([3, 9_000]);
	});

	test("scale-down fits inside and never enlarges [cdn.wh-with-fit, cdn.fit.default, cdn.fit.scale-down-no-enlarge]", () => {
		expect(output(400, 200, "w=100&h=100")).toEqual([100, 50]);
		expect(output(50, 50, "w=100&h=100")).toEqual([50, 50]);
		expect(output(200, 400, "w=300&h=100")).toEqual([50, 100]);
	});

	test("speak of the rotated axes [cdn.rotate]", () => {
		expect(output(400, 200, "w=100&rotate=90")).toEqual([100, 200]);
		expect(layout({ width: 400, height: 200 }, "rotate=270").output).toEqual({ width: 200, height: 400 });
	});
});

describe("fit", () => {
	test("fills exactly and cuts one axis evenly [cdn.fit.cover]", () => {
		expect(layout({ width: 400, height: 200 }, "w=100&h=100&fit=cover")).toEqual({
			read: undefined,
			resize: { width: 200, height: 100 },
			keep: { left: 50, top: 0, width: 100, height: 100 },
			offset: { left: 0, top: 0 },
			output: { width: 100, height: 100 },
		});
	});

	test("cuts like cover without ever enlarging [cdn.fit.crop]", () => {
		expect(output(400, 200, "w=100&h=100&fit=crop")).toEqual([100, 100]);
		expect(output(200, 400, "w=300&h=300&fit=crop")).toEqual([200, 200]);
		expect(output(50, 40, "w=100&h=100&fit=crop")).toEqual([50, 40]);
		expect(output(100, 40, "w=100&h=80&fit=crop")).toEqual([50, 40]);
	});

	test("letterboxes in the middle of exactly w×h [cdn.fit.contain, cdn.fit.pad]", () => {
		for (const name of ["contain", "pad"]) {
			expect(layout({ width: 400, height: 200 }, `w=100&h=100&fit=${name}`)).toMatchObject({
				resize: { width: 100, height: 50 },
				offset: { left: 0, top: 25 },
				output: { width: 100, height: 100 },
			});
		}
	});

	test("a named side is not cut [cdn.gravity.values]", () => {
		const keep = (gravity: string) =>
			layout({ width: 400, height: 200 }, `w=100&h=100&fit=cover&gravity=${gravity}`).keep?.left;
		expect([keep("left"), keep("right"), keep("top"), keep("auto")]).toEqual([0, 100, 50, 50]);
	});

	test("a focus stays in view, however the picture is turned", () => {
		const focused = { width: 400, height: 200, focus: { x: 0.9, y: 0.5 } };
		expect(layout(focused, "w=100&h=100&fit=cover").keep?.left).toBe(100);
		expect(layout(focused, "w=100&h=100&fit=cover&flip=h").keep?.left).toBe(0);
		expect(layout(focused, "w=100&h=100&fit=cover&rotate=90").keep?.top).toBe(100);
	});
});

describe("trim", () => {
	const bordered = { width: 100, height: 80, content: { left: 0.1, top: 0.0625, width: 0.6, height: 0.875 } };

	test("reads the content only", () => {
		expect(layout(bordered, "trim=border")).toMatchObject({
			read: { left: 10, top: 5, width: 60, height: 70 },
			output: { width: 60, height: 70 },
		});
		expect(layout(bordered, "").read).toBeUndefined();
	});

	test("finds it in the turned picture", () => {
		expect(layout(bordered, "trim=border&rotate=90").read).toEqual({ left: 5, top: 10, width: 70, height: 60 });
		expect(layout(bordered, "trim=border&flip=h").read).toEqual({ left: 30, top: 5, width: 60, height: 70 });
	});
});

describe("any picture and any transform", () => {
	test("every step lies inside of the one before, and no side is ever 0", () => {
		fc.assert(
			fc.property(side, side, wanted, wanted, fit, rotate, (width, height, w, h, name, degrees) => {
				const made = layout({ width, height }, `w=${w}&h=${h}&fit=${name}&rotate=${degrees}`);
				const turned = degrees % 180 === 0 ? { width, height } : { width: height, height: width };
				if (made.read) expectInside(made.read, turned);
				if (made.keep) expectInside(made.keep, made.resize);
				const kept = made.keep ?? made.resize;
				expectInside({ ...kept, ...made.offset }, made.output);
				expect(Math.max(made.resize.width, made.resize.height)).toBeLessThanOrEqual(16_384);
			}),
			{ numRuns: 3_000 },
		);
	});

	test("keeps to the box, and fills it where the fit says so", () => {
		fc.assert(
			fc.property(side, side, wanted, wanted, fit, (width, height, w, h, name) => {
				const [outW, outH] = output(width, height, `w=${w}&h=${h}&fit=${name}`);
				expect(outW <= w && outH <= h).toBe(true);
				const exact = ["contain", "pad", "cover", "squeeze"].includes(name);
				if (exact) expect([outW, outH]).toEqual([w, h]);
				else expect(outW <= width && outH <= height).toBe(true);
			}),
			{ numRuns: 3_000 },
		);
	});

	test("never exceeds what the encoder can write", () => {
		expect(layoutOf({ width: 40_000, height: 100 }, { metadata: "none" }, boundsOf("webp", 1)).output).toEqual({
			width: 16_383,
			height: 41,
		});
	});
});

describe("bounds", () => {
	const bounded = (picture: MasterShape, query: string, format: OutputFormat, frames = 1) =>
		layoutOf(picture, parseTransform(new URLSearchParams(query)), boundsOf(format, frames)).output;

	test.each([
		["jpg", 40_000_000],
		["png", 40_000_000],
		["webp", 40_000_000],
		["avif", 16_777_216],
		["gif", 16_777_216],
	] as const)("a %s of a large picture is the whole picture, scaled down to %d pixels", (format, most) => {
		const { width, height } = bounded({ width: 12_000, height: 9_000 }, "blur=1", format);
		expect(width * height).toBeLessThanOrEqual(most);
		expect(width * height).toBeGreaterThan(most * 0.998);
		expect(width / height).toBeCloseTo(4 / 3, 2);
	});

	test("one axis beside an extreme ratio is bounded as well", () => {
		const { width, height } = bounded({ width: 10, height: 2_000 }, "w=4096&fit=cover", "avif");
		expect(width * height).toBeLessThanOrEqual(16_777_216);
		const tall = bounded({ width: 1_000, height: 65_500 }, "w=900", "avif");
		expect(tall.width * tall.height).toBeLessThanOrEqual(16_777_216);
	});

	test("w and h together hold exactly in every format, and so do the sizes", () => {
		for (const format of OUTPUT_FORMATS) {
			for (const name of ["cover", "contain", "pad", "squeeze"]) {
				expect(bounded({ width: 9_000, height: 11_000 }, `w=4096&h=4096&fit=${name}`, format)).toEqual({
					width: 4_096,
					height: 4_096,
				});
			}
			expect(bounded({ width: 12_000, height: 9_000 }, "size=l", format)).toEqual({ width: 1_440, height: 1_080 });
			expect(bounded({ width: 12_000, height: 9_000 }, "size=social", format)).toEqual({ width: 1_200, height: 630 });
		}
	});

	test("an animation keeps its frames and becomes smaller, asked size or not", () => {
		fc.assert(
			fc.property(
				fc.constantFrom("", "size=l", "size=social", "w=4096", "w=4096&h=3000", "fit=crop&h=900&w=900"),
				fit,
				fc.integer({ min: 2, max: 500 }),
				(query, name, frames) => {
					const all = query.includes("h=3000") ? `${query}&fit=${name}` : query;
					const { width, height } = bounded({ width: 469, height: 450 }, all, "gif", frames);
					expect(width * height * frames).toBeLessThanOrEqual(40_000_000);
				},
			),
		);
		expect(bounded({ width: 100, height: 90 }, "w=4096&h=3000", "gif", 500)).toEqual({ width: 100, height: 90 });
	});
});

test("a turn and its inverse leave every box where it was", () => {
	const turns = fc.record(
		{ flip: fc.constantFrom("h" as const, "v" as const), rotate: fc.constantFrom(90, 180, 270) },
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(turns, (transform) => {
			const within = { width: 50, height: 30 };
			const box: Box = { left: 3, top: 4, width: 20, height: 7 };
			const turn = turnOf(transform as Parameters<typeof turnOf>[0]);
			expect(turnedBox(turnedBox(box, within, turn), turnedExtent(within, turn), inverse(turn))).toEqual(box);
		}),
	);
});

function expectInside(box: Box, within: Extent): void {
	expect(Math.min(box.left, box.top)).toBeGreaterThanOrEqual(0);
	expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(1);
	expect(box.left + box.width).toBeLessThanOrEqual(within.width);
	expect(box.top + box.height).toBeLessThanOrEqual(within.height);
}
