import { describe, expect, test } from "bun:test";
import type { Region } from "@svc/images/transform/analysis";
import { bytesOf, drawn, painted } from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";
import { analysisPicture, findContent, findFocus } from "./analysis.ts";

const INK = [20, 40, 60];

interface Frame {
	readonly width: number;
	readonly height: number;
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
}

function inside({ left, top, right, bottom }: Frame, x: number, y: number): boolean {
	return x >= left && x < right && y >= top && y < bottom;
}

/** What lies inside a frame of one colour. */
function framed(frame: Frame, border: readonly number[] = [255, 255, 255]) {
	return drawn(frame.width, frame.height, (x, y) =>
		inside(frame, x, y) ? [...INK, ...border.slice(3, 4).map(() => 255)] : border,
	);
}

function pixels(region: Region | null, { width, height }: Pick<Frame, "width" | "height">) {
	if (!region) return null;
	const [left, top] = [region.left * width, region.top * height];
	return [left, top, left + region.width * width, top + region.height * height].map((edge) => Number(edge.toFixed(6)));
}

describe("content", () => {
	test("a border of 10 pixels around a picture of 100 leaves 80", async () => {
		const frame = { width: 100, height: 100, left: 10, top: 10, right: 90, bottom: 90 };
		const region = await findContent(await bytesOf(framed(frame).png()));
		expect(region).toEqual({ left: 0.1, top: 0.1, width: 0.8, height: 0.8 });
	});

	test.each([
		{ width: 640, height: 480, left: 1, top: 0, right: 639, bottom: 470 },
		{ width: 2_000, height: 1_501, left: 101, top: 33, right: 1_777, bottom: 1_490 },
		{ width: 1_501, height: 2_000, left: 0, top: 57, right: 1_501, bottom: 1_943 },
		{ width: 3_000, height: 700, left: 13, top: 9, right: 2_998, bottom: 699 },
	])("is right to the pixel in a picture of $width by $height", async (frame) => {
		const { left, top, right, bottom } = frame;
		for (const border of [
			[255, 255, 255],
			[200, 30, 30],
			[0, 0, 0, 0],
		])
			expect(pixels(await findContent(await bytesOf(framed(frame, border).png())), frame)).toEqual([
				left,
				top,
				right,
				bottom,
			]);
	});

	test("is that of the upright picture", async () => {
		const frame = { width: 1_000, height: 400, left: 100, top: 0, right: 1_000, bottom: 400 };
		const file = await bytesOf(framed(frame).withMetadata({ orientation: 6 }).png());
		expect(pixels(await findContent(file), { width: 400, height: 1_000 })).toEqual([0, 100, 400, 1_000]);
	});

	test("a border that is not quite uniform is one within a tolerance of 25", async () => {
		const noisy = await painted(100, 100, (x, y) => {
			if (x >= 10 && x < 90 && y >= 10 && y < 90) return INK;
			return [235 + ((x * 7 + y * 3) % 20), 240, 240];
		});
		expect(await findContent(noisy)).toEqual({ left: 0.1, top: 0.1, width: 0.8, height: 0.8 });
	});

	test("none without a border, in a picture of one colour, and in the smallest", async () => {
		const checks = (x: number, y: number) => (((x >> 3) + (y >> 3)) % 2 ? INK : [250, 200, 90]);
		for (const [width, height] of [
			[80, 80],
			[1_280, 960],
		] as const)
			expect(await findContent(await painted(width, height, checks))).toBeNull();
		for (const side of [1, 2, 3, 100, 1_000])
			expect(await findContent(await painted(side, side, () => INK))).toBeNull();
	});
});

describe("the analysis picture", () => {
	test("has three bytes per pixel whatever the file has, and 640 pixels at most to a side", async () => {
		const files = {
			grey: drawn(1_280, 64, () => INK)
				.greyscale()
				.png(),
			clear: drawn(1_280, 64, () => [...INK, 0]).png(),
			deep: drawn(1_280, 64, () => INK)
				.toColourspace("rgb16")
				.png(),
			ink: drawn(1_280, 64, () => INK)
				.toColourspace("cmyk")
				.jpeg(),
			turned: drawn(64, 1_280, () => INK)
				.withMetadata({ orientation: 8 })
				.jpeg(),
			palette: drawn(1_280, 64, () => INK).gif(),
		};
		for (const [name, file] of Object.entries(files)) {
			const { data, width, height } = await analysisPicture(await bytesOf(file));
			expect([name, width, height, data.length]).toEqual([name, 640, 32, 640 * 32 * 3]);
		}
		const small = await analysisPicture(await painted(5, 3, () => INK));
		expect([small.width, small.height, ...small.data.subarray(0, 3)]).toEqual([5, 3, ...INK]);
	});

	test("shows the first frame of an animation, and white where it is clear", async () => {
		const frames = await Promise.all(
			[
				[255, 0, 0],
				[0, 0, 255],
			].map((colour) => painted(20, 10, () => colour)),
		);
		const moving = await bytesOf(sharp(frames, { join: { animated: true } }).gif());
		const { data, width, height } = await analysisPicture(moving);
		expect([width, height, ...data.subarray(0, 3)]).toEqual([20, 10, 255, 0, 0]);
		const clear = await analysisPicture(await painted(4, 4, () => [0, 0, 0, 0]));
		expect([...clear.data.subarray(0, 3)]).toEqual([255, 255, 255]);
	});
});

describe("focus", () => {
	test.each([
		[400, 200, 0.8, 0.5],
		[200, 400, 0.5, 0.2],
		[300, 300, 0.2, 0.7],
	])("of a grey %i×%i picture is its one bright spot", async (width, height, x, y) => {
		const near = (column: number, row: number) => Math.hypot(column - x * width, row - y * height) < 20;
		const picture = await painted(width, height, (column, row) => (near(column, row) ? [240, 60, 30] : [90, 90, 90]));
		const focus = await findFocus(await analysisPicture(picture));
		expect(Math.abs(focus.x - x)).toBeLessThan(0.12);
		expect(Math.abs(focus.y - y)).toBeLessThan(0.12);
	});

	test("is somewhere in any picture", async () => {
		for (const [width, height] of [
			[1, 1],
			[2, 1],
			[640, 1],
			[1, 300],
			[50, 50],
		] as const) {
			const { x, y } = await findFocus(await analysisPicture(await painted(width, height, () => INK)));
			expect([x >= 0, x <= 1, y >= 0, y <= 1]).toEqual([true, true, true, true]);
		}
	});
});
