import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { layoutOf } from "@svc/images/layout/geometry";
import { parseTransform } from "@svc/images/transform/transform";
import { analysed, boxed, memory } from "@svc/test/support/finder-models";
import { drawn, overlap, subjectFile } from "@svc/test/support/subject-masks";
import { SUBJECT_PICTURES } from "@svc/test/support/subject-pictures";
import { until } from "@svc/test/support/workers";
import { openSubjectFinder, type SubjectMask } from "./subject.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const MIB = 1024 * 1024;
const finder = openSubjectFinder();

afterAll(finder.close);

test("nothing is found in the smallest picture, in a plain one and in the longest", async () => {
	for (const [width, height] of [
		[1, 1],
		[64, 48],
		[640, 480],
		[640, 1],
		[1, 640],
	] as const)
		expect(await finder.find(boxed(width, height, () => false))).toBeUndefined();
});

test("a red box on green is found where it is, the same way each time", async () => {
	const picture = boxed(600, 400, (x, y) => x >= 220 && x < 400 && y >= 120 && y < 280);
	const mask = await finder.find(picture);
	expect(mask?.share).toBeCloseTo((180 * 160) / (600 * 400), 2);
	expect([at(mask, 0.5, 0.5), at(mask, 0.4, 0.35), at(mask, 0.35, 0.5), at(mask, 0.02, 0.02)]).toEqual([
		255, 255, 0, 0,
	]);
	expect(await finder.find(picture)).toEqual(mask);
});

test("a picture that takes too long is given up, and nothing hangs", async () => {
	const hasty = openSubjectFinder({ timeoutMs: 1 });
	await expect(hasty.find(boxed(640, 480, () => false))).rejects.toMatchObject({
		name: "FinderFailure",
		trouble: "slow",
	});
	hasty.close();
});

/** Points that are the subject, and points that are not. */
const SUBJECTS: Record<
	string,
	{ readonly on: readonly [number, number][]; readonly off: readonly [number, number][] }
> = {
	"portrait_astronaut.png": {
		on: [
			[0.44, 0.24],
			[0.35, 0.7],
			[0.44, 0.06],
		],
		off: [
			[0.03, 0.03],
			[0.97, 0.03],
			[0.65, 0.3],
			[0.2, 0.3],
		],
	},
	"portrait_child.jpg": {
		on: [
			[0.44, 0.41],
			[0.45, 0.65],
		],
		off: [
			[0.03, 0.03],
			[0.97, 0.03],
		],
	},
	"portrait_four_faces.jpg": {
		on: [
			[0.19, 0.41],
			[0.39, 0.32],
			[0.66, 0.3],
			[0.81, 0.27],
		],
		off: [
			[0.03, 0.03],
			[0.97, 0.03],
			[0.5, 0.1],
		],
	},
	"seg_coffee.png": {
		on: [
			[0.5, 0.3],
			[0.5, 0.55],
			[0.4, 0.25],
		],
		off: [
			[0.03, 0.03],
			[0.97, 0.03],
			[0.03, 0.97],
			[0.97, 0.97],
		],
	},
};

/** The least that a cut-out and one drawn by hand must have in common, of all that is in one of them. */
const LEAST_OVERLAP: Readonly<Record<string, number>> = {
	"portrait_astronaut.png": 0.9,
	"portrait_child.jpg": 0.85,
	"portrait_four_faces.jpg": 0.85,
	"face_small_sunglasses.jpg": 0.84,
	"noface_statues.jpg": 0.78,
	"seg_coffee.png": 0.93,
	"seg_redpanda_clutter.jpg": 0.7,
	"anim_42.gif": 0.9,
	"car-2.jpg": 0.93,
	"animal-3.jpg": 0.88,
	"motorcycle_left.png": 0.8,
};

describe.skipIf(corpus === undefined)("real pictures (needs SVC_TEST_CORPUS)", () => {
	for (const [file, { on, off }] of Object.entries(SUBJECTS))
		test(`${file} is cut out`, async () => {
			const mask = await finder.find(await analysed(join(corpus ?? "", file)));
			for (const [x, y] of on) expect(at(mask, x, y)).toBeGreaterThan(200);
			for (const [x, y] of off) expect(at(mask, x, y)).toBeLessThan(40);
		});

	for (const picture of SUBJECT_PICTURES) {
		const least = LEAST_OVERLAP[picture.file];
		const path = subjectFile(picture);
		if (least === undefined) continue;
		const note = path ? "" : " (SKIPPED: neither in SVC_TEST_CORPUS nor in SVC_TEST_SUBJECTS)";
		test.skipIf(!path)(`${picture.file} is cut out as a person would, but for little${note}`, async () => {
			const pixels = await analysed(path ?? "");
			const mask = await finder.find(pixels);
			const wanted = drawn(picture, pixels.width, pixels.height);
			expect(overlap(mask?.alpha ?? new Uint8Array(), wanted)).toBeGreaterThan(least);
		});
	}

	/** The part of a picture that is shown, as shares of its sides. */
	async function shownOf(file: string, query: string) {
		const pixels = await analysed(join(corpus ?? "", file));
		const subject = (await finder.find(pixels)) ?? null;
		const { keep, resize } = layoutOf({ ...pixels, faces: [], subject }, parseTransform(new URLSearchParams(query)));
		if (!keep) throw new Error("nothing is cut");
		return {
			left: keep.left / resize.width,
			right: (keep.left + keep.width) / resize.width,
			top: keep.top / resize.height,
			bottom: (keep.top + keep.height) / resize.height,
		};
	}

	test("a cut shows all of the main statue, and the head of a figure", async () => {
		const statue = await shownOf("noface_statues.jpg", "w=200&h=200&fit=cover");
		expect(statue.left).toBeLessThan(0.19);
		expect(statue.right).toBeGreaterThan(0.57);
		const figure = await shownOf("anim_42.gif", "size=social");
		expect(figure.top).toBeLessThan(0.22);
		expect(figure.bottom).toBeGreaterThan(0.5);
	});

	test("ten pictures leave the process with less than 320 MiB, and it never needed 512", async () => {
		const picture = await analysed(join(corpus ?? "", "portrait_child.jpg"));
		for (let round = 0; round < 10; round++) await finder.find(picture);
		// The rest of the last picture is cleared away after its answer.
		await until(() => memory(finder.pid, "VmRSS") < 320 * MIB);
		expect(memory(finder.pid, "VmHWM")).toBeLessThan(512 * MIB);
	});
});

function at(mask: SubjectMask | undefined, x: number, y: number): number | undefined {
	return mask?.alpha[Math.floor(y * mask.height) * mask.width + Math.floor(x * mask.width)];
}
