import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Region } from "../transform/analysis.ts";
import { parseTransform } from "../transform/transform.ts";
import type { Extent } from "./extent.ts";
import { layoutOf, type MasterShape } from "./geometry.ts";

/* Which part of a picture a cut shows, given its faces and its focus. */

/** In pixels of the picture, which is not turned here. */
function shown(picture: MasterShape, query: string): Region & { output: Extent } {
	const { read, resize, keep, output } = layoutOf(picture, parseTransform(new URLSearchParams(query)));
	const from = read ?? { left: 0, top: 0, width: picture.width, height: picture.height };
	const part = keep ?? { left: 0, top: 0, ...resize };
	const [across, down] = [from.width / resize.width, from.height / resize.height];
	return {
		left: from.left + part.left * across,
		top: from.top + part.top * down,
		width: part.width * across,
		height: part.height * down,
		output,
	};
}

const side = fc.integer({ min: 60, max: 8_000 });
const wanted = fc.integer({ min: 20, max: 4_096 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const face: fc.Arbitrary<Region> = fc
	.tuple(fc.double({ min: 0.02, max: 0.5, noNaN: true }), fc.double({ min: 0.02, max: 0.5, noNaN: true }), share, share)
	.map(([width, height, x, y]) => ({ left: x * (1 - width), top: y * (1 - height), width, height }));
const faces = fc.array(face, { minLength: 1, maxLength: 4 });
const zoom = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
const fit = fc.constantFrom("cover", "crop");

function inPixels({ left, top, width, height }: Region, picture: Extent): Region {
	return {
		left: left * picture.width,
		top: top * picture.height,
		width: width * picture.width,
		height: height * picture.height,
	};
}

/** With room for the rounding of `slack` pixels. */
function contains(outer: Region, inner: Region, slack: number): boolean {
	return (
		inner.left >= outer.left - slack &&
		inner.top >= outer.top - slack &&
		inner.left + inner.width <= outer.left + outer.width + slack &&
		inner.top + inner.height <= outer.top + outer.height + slack
	);
}

function union(regions: readonly Region[]): Region {
	const left = Math.min(...regions.map((region) => region.left));
	const top = Math.min(...regions.map((region) => region.top));
	const right = Math.max(...regions.map((region) => region.left + region.width));
	const bottom = Math.max(...regions.map((region) => region.top + region.height));
	return { left, top, width: right - left, height: bottom - top };
}

/** One pixel of the source or of the rendition, whichever is larger. */
function pixel(part: ReturnType<typeof shown>): number {
	return 1 + Math.max(part.width / part.output.width, part.height / part.output.height);
}

describe("a cut around faces", () => {
	test("lies inside of the picture and has the ratio asked for, at any zoom [cdn.zoom.range]", () => {
		fc.assert(
			fc.property(side, side, wanted, wanted, fit, faces, zoom, (width, height, w, h, name, found, near) => {
				const part = shown({ width, height, faces: found }, `w=${w}&h=${h}&fit=${name}&gravity=face&zoom=${near}`);
				expect(contains({ left: 0, top: 0, width, height }, part, 1e-6)).toBe(true);
				const { output } = part;
				if (name === "cover") expect(output).toEqual({ width: w, height: h });
				else expect(output.width <= Math.min(w, width) && output.height <= Math.min(h, height)).toBe(true);
				// Each side of either is off by a pixel at most.
				const slack = output.width + output.height + part.width + part.height;
				expect(Math.abs(part.width * output.height - part.height * output.width)).toBeLessThanOrEqual(slack);
			}),
			{ numRuns: 3_000 },
		);
	});

	test("contains all faces where they fit together, and the surest one where it fits alone", () => {
		fc.assert(
			fc.property(side, side, wanted, wanted, fit, faces, zoom, (width, height, w, h, name, found, near) => {
				const picture = { width, height, faces: found };
				const query = `w=${w}&h=${h}&fit=${name}&gravity=face`;
				const widest = shown(picture, query);
				const part = shown(picture, `${query}&zoom=${near}`);
				const places = found.map((region) => inPixels(region, picture));
				const [surest] = places;
				for (const place of [union(places), ...(surest ? [surest] : [])]) {
					const hasRoom = place.width < widest.width - 2 && place.height < widest.height - 2;
					if (hasRoom) expect(contains(part, place, pixel(part))).toBe(true);
				}
			}),
			{ numRuns: 3_000 },
		);
	});

	test("comes closer with every step, and what is shown closer was in view before [cdn.zoom.tightness]", () => {
		fc.assert(
			fc.property(side, side, wanted, wanted, faces, zoom, zoom, (width, height, w, h, found, a, b) => {
				const at = (near: number) =>
					shown({ width, height, faces: found }, `w=${w}&h=${h}&fit=cover&gravity=face&zoom=${near}`);
				const [far, near] = [at(Math.min(a, b)), at(Math.max(a, b))];
				expect(contains(far, near, pixel(far))).toBe(true);
			}),
			{ numRuns: 3_000 },
		);
	});

	test("goes the same way for a picture that is turned", () => {
		const picture = { width: 400, height: 200, faces: [{ left: 0.8, top: 0.4, width: 0.1, height: 0.2 }] };
		const keep = (query: string) =>
			layoutOf(picture, parseTransform(new URLSearchParams(`w=100&h=100&fit=cover&gravity=face&${query}`))).keep;
		expect(keep("")).toMatchObject({ left: 100, top: 0 });
		expect(keep("flip=h")).toMatchObject({ left: 0, top: 0 });
		expect(keep("rotate=90")).toMatchObject({ left: 0, top: 100 });
		expect(keep("rotate=270")).toMatchObject({ left: 0, top: 0 });
	});

	test("equal steps enlarge by equal factors, from the widest cut to half a face around the faces", () => {
		const picture = { width: 1_600, height: 1_600, faces: [{ left: 0.45, top: 0.45, width: 0.0625, height: 0.0625 }] };
		const widths = [0, 0.25, 0.5, 0.75, 1].map(
			(near) => shown(picture, `w=100&h=100&fit=cover&gravity=face&zoom=${near}`).width,
		);
		for (const [step, width] of widths.entries()) expect(Math.abs(width - 1_600 / 8 ** (step / 4))).toBeLessThan(2);
	});

	test("auto goes to the faces too, but never closer [cdn.gravity.default]", () => {
		const picture = { width: 400, height: 200, faces: [{ left: 0.8, top: 0.4, width: 0.1, height: 0.2 }] };
		const query = "w=100&h=100&fit=cover";
		expect(shown(picture, query)).toEqual(shown(picture, `${query}&gravity=face`));
		expect(shown(picture, `${query}&zoom=1`)).toEqual(shown(picture, query));
		expect(shown(picture, `${query}&gravity=auto`)).toEqual(shown(picture, query));
	});

	test("faces come before the focus, and the focus before the middle [cdn.gravity.values]", () => {
		const focus = { x: 0.1, y: 0.5 };
		const faces = [{ left: 0.8, top: 0.4, width: 0.1, height: 0.2 }];
		const left = (known: Partial<MasterShape>, gravity = "face") =>
			shown({ width: 400, height: 200, ...known }, `w=100&h=100&fit=cover&gravity=${gravity}`).left;
		expect([left({ focus, faces }), left({ focus, faces: [] }), left({ faces: [] })]).toEqual([200, 0, 100]);
		expect([left({ focus, faces }, "left"), left({ focus, faces }, "top")]).toEqual([0, 100]);
	});
});

describe("a trimmed cut", () => {
	test("leaves faces outside of what is left out of it", () => {
		const content = { left: 0, top: 0, width: 0.5, height: 1 };
		const [inside, outside] = [0.4, 0.8].map((left) => ({ left, top: 0.4, width: 0.05, height: 0.2 }));
		if (!inside || !outside) throw new Error("two faces");
		const picture = { width: 800, height: 200, content, focus: { x: 0, y: 0.5 } };
		const left = (faces: readonly Region[]) =>
			shown({ ...picture, faces }, "trim=border&w=100&h=100&fit=cover&gravity=face").left;
		expect([left([outside, inside]), left([outside])]).toEqual([200, 0]);
	});

	test("is at least one pixel, and never more than the picture", () => {
		fc.assert(
			fc.property(side, side, share, share, share, share, (width, height, left, top, across, down) => {
				const content = { left, top, width: across * (1 - left), height: down * (1 - top) };
				const { output } = shown({ width, height, content }, "trim=border");
				expect(output.width >= 1 && output.width <= width && output.height >= 1 && output.height <= height).toBe(true);
			}),
		);
	});
});
