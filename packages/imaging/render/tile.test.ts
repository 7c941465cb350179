import { describe, expect, test } from "bun:test";
import {
	BLUE,
	bytesOf,
	drawn,
	GREEN,
	look,
	masterOf,
	type Pixel,
	painted,
	pixelsOf,
	RED,
	rendered,
} from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";

const ID = `img_${"0".repeat(22)}`;
const QUERY = `tile=${ID}`;
const picture = await painted(100, 60, () => BLUE);
/** 10×10: an opaque red quarter, a translucent one below it, and nothing else. */
const tile = masterOf(
	await painted(10, 10, (x, y) => (x >= 5 ? [0, 0, 0, 0] : y < 5 ? [...RED, 255] : [...RED, 51])),
	"png",
);

function tilesAt(at: (x: number, y: number) => Pixel, left: number, top: number): Pixel[] {
	return [at(left + 2, top + 2), at(left + 2, top + 7), at(left + 7, top + 2)];
}

const PATTERN = [RED, [51, 0, 204], BLUE];

describe("tile", () => {
	test("is repeated over the whole picture at its own size, its transparency respected [cdn.tile.watermark]", async () => {
		const tiled = await look(picture, QUERY, { tile });
		expect([tiled.width, tiled.height, tiled.channels]).toEqual([100, 60, 3]);
		for (const [left, top] of [
			[0, 0],
			[10, 0],
			[50, 30],
			[90, 50],
		] as const) {
			expect([left, top, tilesAt(tiled.at, left, top)]).toEqual([left, top, PATTERN]);
		}
	});

	test("is as large on a smaller rendition, turned or not", async () => {
		for (const query of ["w=50", "w=50&rotate=90", "w=50&blur=1", "w=50&h=50&fit=cover"]) {
			const tiled = await look(picture, `${query}&${QUERY}`, { tile });
			expect([query, tilesAt(tiled.at, 20, 20)]).toEqual([query, PATTERN]);
		}
	});

	test("is never wider than a quarter of the picture, nor higher than all of it", async () => {
		const wide = masterOf(await painted(200, 100, (x) => (x < 100 ? RED : GREEN)), "png");
		const tiled = await look(picture, QUERY, { tile: wide });
		const row = [2, 8, 16, 22, 27, 33, 77, 97].map((x) => tiled.at(x, 30));
		expect(row).toEqual([RED, RED, GREEN, GREEN, RED, RED, RED, GREEN]);
		const high = masterOf(await painted(10, 600, (_, y) => (y < 300 ? RED : GREEN)), "png");
		const { at } = await look(picture, QUERY, { tile: high });
		expect([at(50, 5), at(50, 55)]).toEqual([RED, GREEN]);
	});

	test("lies on every format", async () => {
		for (const format of ["jpg", "png", "webp", "avif", "gif"]) {
			const red = masterOf(await painted(25, 60, (x) => (x < 12 ? RED : [0, 0, 0, 0].slice(0, 3))), "png");
			const tiled = await look(picture, `format=${format}&${QUERY}`, { tile: red });
			expect([format, (tiled.at(56, 30)[0] ?? 0) > 200, (tiled.at(68, 30)[0] ?? 255) < 60]).toEqual([
				format,
				true,
				true,
			]);
		}
	});

	test("lies over bars, backgrounds and what is transparent", async () => {
		const boxed = await look(picture, `w=100&h=100&fit=pad&${QUERY}`, { tile });
		expect([boxed.at(2, 2), boxed.at(7, 2)[3], boxed.at(52, 52)]).toEqual([[...RED, 255], 0, [...RED, 255]]);
		const filled = await look(picture, `w=100&h=100&fit=pad&background=lime&${QUERY}`, { tile });
		expect([filled.channels, filled.at(2, 2), filled.at(7, 2)]).toEqual([3, RED, GREEN]);
		const tinted = await look(picture, `w=100&h=100&fit=pad&background=rgba(0,255,0,0.5)&${QUERY}`, { tile });
		expect([tinted.at(2, 2), tinted.at(7, 2)]).toEqual([
			[...RED, 255],
			[...GREEN, 128],
		]);
	});

	test("starts anew in every frame of an animation", async () => {
		const { data } = await drawn(40, 50, (_, y) => (y < 25 ? BLUE : GREEN))
			.raw()
			.toBuffer({ resolveWithObject: true });
		const webp = await bytesOf(
			sharp(data, { raw: { width: 40, height: 50, channels: 3, pageHeight: 25 } }).webp({ lossless: true }),
		);
		const { bytes } = await rendered(webp, `q=100&${QUERY}`, "webp", { tile });
		expect((await sharp(bytes).metadata()).pages).toBe(2);
		for (const page of [0, 1]) {
			const { at } = await pixelsOf(bytes, page);
			for (const top of [0, 10])
				expect([page, top, (at(12, top + 2)[0] ?? 0) > 180, (at(17, top + 2)[0] ?? 255) < 90]).toEqual([
					page,
					top,
					true,
					true,
				]);
		}
	});

	test("without the other picture, or with one that is no picture of pixels, there is none", async () => {
		const { bytes } = await rendered(picture, "w=50");
		expect((await rendered(picture, `w=50&${QUERY}`)).bytes).toEqual(bytes);
		const drawing = { ...tile, format: "svg" as const };
		expect((await rendered(picture, `w=50&${QUERY}`, "png", { tile: drawing })).bytes).toEqual(bytes);
	});
});
