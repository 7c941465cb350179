import { describe, expect, test } from "bun:test";
import {
	BLUE,
	bytesOf,
	corners,
	drawn,
	GREEN,
	type Pixel,
	pixelsOf,
	RED,
	rendered,
	WHITE,
} from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";

const YELLOW = [255, 255, 0];
const BLACK = [0, 0, 0];
/** Frames of 48×32 in four quarters, from the top left clockwise. */
const FRAMES = [
	[RED, GREEN, WHITE, BLUE],
	[YELLOW, BLACK, GREEN, RED],
	[BLUE, WHITE, RED, BLACK],
] as const;
const [WIDTH, HEIGHT] = [48, 32];

const strip = drawn(WIDTH, HEIGHT * FRAMES.length, (x, y) => {
	const [left, top] = [x < WIDTH / 2, y % HEIGHT < HEIGHT / 2];
	const [topLeft, topRight, bottomRight, bottomLeft] = FRAMES[Math.floor(y / HEIGHT)] ?? FRAMES[0];
	return top ? (left ? topLeft : topRight) : left ? bottomLeft : bottomRight;
});
const { data, info } = await strip.raw().toBuffer({ resolveWithObject: true });

/** As a program writes that turns nothing, and says how the camera was held. */
async function turnedBy(orientation: number): Promise<Uint8Array<ArrayBuffer>> {
	const raw = { width: info.width, height: info.height, channels: 3, pageHeight: HEIGHT } as const;
	const options = { delay: [100, 200, 300], loop: 2, lossless: true };
	return await bytesOf(sharp(data, { raw }).withMetadata({ orientation }).webp(options));
}

/** The same still, turned by the decoder. */
async function uprightFrame(page: number, orientation: number): Promise<Uint8Array<ArrayBuffer>> {
	const raw = { width: info.width, height: HEIGHT, channels: 3 } as const;
	const still = data.subarray(page * WIDTH * HEIGHT * 3, (page + 1) * WIDTH * HEIGHT * 3);
	const stored = await sharp(still, { raw }).withMetadata({ orientation }).png().toBuffer();
	return await bytesOf(sharp(stored).autoOrient().png());
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])("an animated WebP with the EXIF orientation %i", (orientation) => {
	test.each([
		"w=24",
		"w=24&format=gif",
		"size=s",
		"rotate=90",
		"flip=h&rotate=270",
		"flip=v&format=gif",
		"w=20&h=20&fit=cover&gravity=left",
		"w=20&h=10&fit=cover&gravity=top&rotate=90",
		"w=40&h=40&fit=pad&background=black",
		"blur=0.3",
	])("has all its frames upright for %s, at their times, as its frames have as stills", async (query) => {
		const { bytes } = await rendered(await turnedBy(orientation), query, "webp");
		const { pages, delay, loop } = await sharp(bytes).metadata();
		expect([pages, delay, loop]).toEqual([3, [100, 200, 300], 2]);
		for (const page of [0, 1, 2]) {
			const found = await pixelsOf(bytes, page);
			const still = await rendered(
				await uprightFrame(page, orientation),
				`${query}&format=png`.replace("format=gif&", ""),
				"png",
			);
			const expected = await pixelsOf(still.bytes);
			expect([found.width, found.height]).toEqual([expected.width, expected.height]);
			expect(corners(found).map((pixel, at) => distance(pixel, corners(expected)[at] ?? []) < 60)).toEqual([
				true,
				true,
				true,
				true,
			]);
		}
	});

	test("says nothing of an orientation any more, and is upright as a still", async () => {
		const master = await turnedBy(orientation);
		const { bytes } = await rendered(master, "w=24&metadata=keep", "webp");
		expect((await sharp(bytes).metadata()).orientation ?? 1).toBe(1);
		const { bytes: still } = await rendered(master, "frame=1&format=png", "webp");
		expect(corners(await pixelsOf(still))).toEqual(corners(await pixelsOf(await uprightFrame(1, orientation))));
	});
});

function distance(one: Pixel, other: Pixel): number {
	return Math.max(...[0, 1, 2].map((channel) => Math.abs((one[channel] ?? 0) - (other[channel] ?? 0))));
}
