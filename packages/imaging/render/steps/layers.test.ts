import { describe, expect, test } from "bun:test";
import {
	BLUE,
	bytesOf,
	drawn,
	GREEN,
	look,
	masterOf,
	painted,
	pixelsOf,
	RED,
	rendered,
} from "@svc/test/support/rendering";
import { sharp } from "../../sharp-settings.ts";

/* What lies over a picture: where, how large and how much of it is seen. What tiles do besides stands in tile.test.ts. */

const ID = `img_${"0".repeat(22)}`;
const QUERY = `overlay=${ID}`;
const picture = await painted(200, 120, () => BLUE);
/** 40×20, red. */
const overlay = masterOf(await painted(40, 20, () => RED), "png");

/** The box of the pixels that are rather red. */
async function placeOf(query: string, layer = overlay, of = picture): Promise<number[]> {
	const { width, height, at } = await look(of, query, { overlay: layer });
	const box = [width, height, 0, 0];
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			if ((at(x, y)[0] ?? 0) < 128) continue;
			box[0] = Math.min(box[0] ?? 0, x);
			box[1] = Math.min(box[1] ?? 0, y);
			box[2] = Math.max(box[2] ?? 0, x + 1);
			box[3] = Math.max(box[3] ?? 0, y + 1);
		}
	}
	return box;
}

describe("overlay", () => {
	test("lies at the bottom right, a quarter as wide, a fortieth of the short side from the edges", async () => {
		expect(await placeOf(QUERY)).toEqual([147, 92, 197, 117]);
	});

	test.each([
		["top-left", [3, 3, 53, 28]],
		["top", [75, 3, 125, 28]],
		["top-right", [147, 3, 197, 28]],
		["left", [3, 48, 53, 73]],
		["center", [75, 48, 125, 73]],
		["right", [147, 48, 197, 73]],
		["bottom-left", [3, 92, 53, 117]],
		["bottom", [75, 92, 125, 117]],
	])("overlay_at=%s", async (at, box) => {
		expect(await placeOf(`${QUERY}&overlay_at=${at}`)).toEqual(box as number[]);
	});

	test("is as wide a share of any rendition", async () => {
		expect(await placeOf(`${QUERY}&overlay_w=0.5&overlay_at=top-left`)).toEqual([3, 3, 103, 53]);
		expect(await placeOf(`${QUERY}&overlay_w=0.5&overlay_at=top-left&w=100`)).toEqual([2, 2, 52, 27]);
		expect(await placeOf(`${QUERY}&overlay_w=0.01&overlay_at=top-left`)).toEqual([3, 3, 5, 4]);
	});

	test("is smaller where it would be too high, with its margins above and below", async () => {
		const high = masterOf(await painted(10, 40, () => RED), "png");
		expect(await placeOf(`${QUERY}&overlay_w=1`, high)).toEqual([168, 3, 197, 117]);
		expect(await placeOf(`${QUERY}&overlay_w=1`)).toEqual([0, 17, 200, 117]);
		const higher = masterOf(await painted(20, 400, () => RED), "png");
		const wide = await painted(600, 400, () => BLUE);
		expect(await placeOf(QUERY, higher, wide)).toEqual([571, 10, 590, 390]);
	});

	test("its opacity is a share of its own", async () => {
		const half = masterOf(await painted(40, 20, () => [...RED, 128]), "png");
		const seen = async (query: string, layer = overlay) =>
			(await look(picture, query, { overlay: layer })).at(170, 105);
		expect(await seen(`${QUERY}&overlay_opacity=0.4`)).toEqual([102, 0, 153]);
		expect(await seen(QUERY, half)).toEqual([128, 0, 126]);
		expect(await seen(`${QUERY}&overlay_opacity=0.5`, half)).toEqual([64, 0, 191]);
	});

	test("lies over the tile, over bars and over a grey picture", async () => {
		const tile = masterOf(await painted(10, 10, () => GREEN), "png");
		const { at } = await look(picture, `${QUERY}&tile=${ID}`, { overlay, tile });
		expect([at(170, 105), at(20, 20)]).toEqual([RED, GREEN]);
		const boxed = await look(picture, `${QUERY}&w=200&h=200&fit=pad`, { overlay });
		expect([boxed.at(170, 190), boxed.at(5, 5)[3]]).toEqual([[...RED, 255], 0]);
		const grey = await bytesOf(sharp(picture).greyscale().png());
		expect((await look(grey, QUERY, { overlay })).at(170, 105)).toEqual(RED);
	});

	test("lies at the same place of every frame", async () => {
		const { data } = await drawn(80, 120, (_, y) => (y < 60 ? BLUE : GREEN))
			.raw()
			.toBuffer({ resolveWithObject: true });
		const raw = { width: 80, height: 120, channels: 3, pageHeight: 60 } as const;
		const webp = await bytesOf(sharp(data, { raw }).webp({ lossless: true }));
		const { bytes } = await rendered(webp, `lossless=true&${QUERY}`, "webp", { overlay });
		for (const [page, colour] of [BLUE, GREEN].entries()) {
			const { at } = await pixelsOf(bytes, page);
			expect([at(65, 55).slice(0, 3), at(40, 30).slice(0, 3)]).toEqual([RED, colour]);
		}
	});

	test("keeps a picture without transparency as it is, and is left out where it is no picture of pixels", async () => {
		expect((await look(picture, QUERY, { overlay })).channels).toBe(3);
		const drawing = { ...overlay, format: "svg" as const };
		expect((await look(picture, QUERY, { overlay: drawing })).at(170, 105)).toEqual(BLUE);
	});
});

describe("tile_opacity", () => {
	test("is a share of the tile's own", async () => {
		const tile = masterOf(await painted(10, 10, (x) => (x < 5 ? [...RED, 255] : [...RED, 128])), "png");
		const { at } = await look(picture, `tile=${ID}&tile_opacity=0.5`, { tile });
		expect([at(2, 2), at(7, 2), at(102, 52)]).toEqual([
			[128, 0, 126],
			[64, 0, 191],
			[128, 0, 126],
		]);
	});
});
