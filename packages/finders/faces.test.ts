import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { analysed, boxed, memory } from "@svc/test/support/finder-models";
import type { Face } from "./face-decode.ts";
import { openFaceFinder } from "./faces.ts";

const corpus = process.env.SVC_TEST_CORPUS;
const MIB = 1024 * 1024;
const finder = openFaceFinder();

afterAll(finder.close);

test.if(process.env.CI === "true")("SVC_TEST_CORPUS is set where the whole suite must run", () => {
	expect(corpus).toBeDefined();
});

test("no faces in the smallest picture, in a plain one and in the longest", async () => {
	for (const [width, height] of [
		[1, 1],
		[640, 480],
		[640, 1],
		[1, 640],
	] as const)
		expect(await finder.find(boxed(width, height, () => false))).toEqual([]);
});

test("what is not an analysis picture is refused before it is sent", async () => {
	const data = new Uint8Array(641 * 3);
	await expect(finder.find({ data, width: 641, height: 1 })).rejects.toThrow(RangeError);
	await expect(finder.find({ data, width: 640, height: 1 })).rejects.toThrow("not 1923");
	await expect(finder.find({ data: data.subarray(0, 0), width: 0, height: 1 })).rejects.toThrow(RangeError);
});

test("a picture that takes too long is given up, and nothing hangs", async () => {
	const hasty = openFaceFinder(1);
	await expect(hasty.find(boxed(640, 480, () => false))).rejects.toMatchObject({
		name: "FinderFailure",
		trouble: "slow",
	});
	hasty.close();
});

/** The middle of each face, as shares of the width and height. */
const PEOPLE: Record<string, readonly [x: number, y: number][]> = {
	"portrait_astronaut.png": [[0.44, 0.24]],
	"portrait_child.jpg": [[0.44, 0.41]],
	"face_small_sunglasses.jpg": [[0.5, 0.58]],
	"portrait_four_faces.jpg": [
		[0.19, 0.41],
		[0.39, 0.32],
		[0.66, 0.3],
		[0.81, 0.27],
	],
	"noface_statues.jpg": [],
	"seg_coffee.png": [],
	"seg_redpanda_clutter.jpg": [],
	"jpeg_o8_portrait.jpg": [],
	"jpeg_12mp_camera.jpg": [],
	"jpeg_gps_copyright_iptc_xmp.jpg": [],
	"alpha.png": [],
};

describe.skipIf(corpus === undefined)("real pictures (needs SVC_TEST_CORPUS)", () => {
	for (const [file, people] of Object.entries(PEOPLE))
		test(`${file} has ${people.length} faces, where they are`, async () => {
			const faces = await finder.find(await analysed(join(corpus ?? "", file)));
			const middles = faces.map(middle).toSorted(([a], [b]) => a - b);
			expect(middles).toHaveLength(people.length);
			people.forEach(([x, y], index) => {
				expect(Math.abs((middles[index]?.[0] ?? 0) - x)).toBeLessThan(0.03);
				expect(Math.abs((middles[index]?.[1] ?? 0) - y)).toBeLessThan(0.03);
			});
			for (const face of faces) expect(inside(face)).toBe(true);
		});

	test("a crowd is given surest first", async () => {
		const faces = await finder.find(await analysed(join(corpus ?? "", "crowd_painted_faces.jpg")));
		expect(faces.length).toBeGreaterThanOrEqual(3);
		const scores = faces.map(({ score }) => score);
		expect(scores).toEqual(scores.toSorted((a, b) => b - a));
		expect(scores.at(-1)).toBeGreaterThanOrEqual(0.5);
	});

	test("ten pictures leave the process below 256 MiB", async () => {
		const crowd = await analysed(join(corpus ?? "", "crowd_painted_faces.jpg"));
		for (let round = 0; round < 10; round++) await finder.find(crowd);
		expect(memory(finder.pid, "VmHWM")).toBeLessThan(256 * MIB);
	});
});

function middle({ left, top, width, height }: Face): [x: number, y: number] {
	return [left + width / 2, top + height / 2];
}

function inside({ left, top, width, height }: Face): boolean {
	return Math.min(left, top, width, height) >= 0 && left + width <= 1 && top + height <= 1;
}

const covers = ({ left, top, width, height }: Face, [x, y]: readonly [number, number]) =>
	x > left && x < left + width && y > top && y < top + height;

test.skipIf(!corpus)("where every face is wanted, small and painted ones in a crowd are found as well", async () => {
	const faces = await finder.findEvery(await analysed(join(corpus ?? "", "crowd_painted_faces.jpg")));
	for (const middle of [
		[0.169, 0.355],
		[0.45, 0.58],
		[0.57, 0.16],
		[0.63, 0.17],
		[0.24, 0.43],
		[0.9, 0.71],
	] as const) {
		expect([middle, faces.some((face) => covers(face, middle))]).toEqual([middle, true]);
	}
});
