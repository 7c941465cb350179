import { describe, expect, test } from "bun:test";
import type { Mask, Region } from "../transform/analysis.ts";
import { parseTransform } from "../transform/transform.ts";
import { layoutOf } from "./geometry.ts";
import { subjectSpot } from "./subject-spot.ts";

const WHOLE: Region = { left: 0, top: 0, width: 1, height: 1 };

/** A mask of 100 by 100 with one box on it. */
function boxed(left: number, top: number, width: number, height: number): Mask {
	const alpha = new Uint8Array(100 * 100);
	for (let y = top; y < top + height; y++) alpha.fill(255, y * 100 + left, y * 100 + left + width);
	return { width: 100, height: 100, alpha };
}

describe("a cut around a subject", () => {
	test("has it in the middle where it fits", () => {
		const spot = subjectSpot(boxed(60, 20, 20, 40), WHOLE, { width: 0.5, height: 1 });
		expect(spot?.x).toBeCloseTo(0.7);
		expect(spot?.y).toBeCloseTo(0.4);
	});

	test("keeps it whole, wherever most of it is", () => {
		const mask = boxed(10, 40, 40, 4);
		// A heavy end on the left, so that the centre of weight is not the middle.
		for (let y = 0; y < 100; y++) mask.alpha.fill(255, y * 100 + 10, y * 100 + 14);
		const { x = 0 } = subjectSpot(mask, WHOLE, { width: 0.42, height: 1 }) ?? {};
		expect(x - 0.21).toBeLessThanOrEqual(0.1);
		expect(x + 0.21).toBeGreaterThanOrEqual(0.5);
	});

	test("shows most of one that is too wide, and the top of one that is too high, with a little air above it", () => {
		const wide = boxed(10, 45, 80, 10);
		for (let y = 20; y < 80; y++) wide.alpha.fill(255, y * 100 + 70, y * 100 + 90);
		expect(subjectSpot(wide, WHOLE, { width: 0.2, height: 1 })?.x).toBeCloseTo(0.8);
		const { y = 0 } = subjectSpot(boxed(40, 10, 20, 80), WHOLE, { width: 1, height: 0.4 }) ?? {};
		expect(Math.abs(y - 0.28)).toBeLessThan(0.015);
	});

	test("looks only at the part that is shown at all, and says nothing where none of it is there", () => {
		const mask = boxed(10, 10, 10, 10);
		const left = { ...WHOLE, width: 0.5 };
		expect(subjectSpot(mask, left, { width: 0.4, height: 1 })?.x).toBeCloseTo(0.3);
		expect(subjectSpot(mask, { ...left, left: 0.5 }, { width: 0.4, height: 1 })).toBeUndefined();
	});

	test("turns with the picture; faces come before it, and it before what the eye goes to [cdn.gravity.values]", () => {
		const subject = boxed(80, 45, 10, 10);
		const picture = { width: 400, height: 200, subject, focus: { x: 0.1, y: 0.5 } };
		const keep = (query: string, faces = {}) =>
			layoutOf({ ...picture, ...faces }, parseTransform(new URLSearchParams(`w=100&h=100&fit=cover&${query}`))).keep;
		expect(keep("")).toMatchObject({ left: 100, top: 0 });
		expect(keep("flip=h")).toMatchObject({ left: 0, top: 0 });
		expect(keep("rotate=90")).toMatchObject({ left: 0, top: 100 });
		expect(keep("rotate=270")).toMatchObject({ left: 0, top: 0 });
		expect(keep("crop=0,0,200,200")).toBeUndefined();
		expect(keep("gravity=left")).toMatchObject({ left: 0 });
		const faces = [{ left: 0.45, top: 0.4, width: 0.1, height: 0.2 }];
		expect(keep("", { faces })).toMatchObject({ left: 50 });
	});
});
