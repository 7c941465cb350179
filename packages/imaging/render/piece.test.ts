import { describe, expect, test } from "bun:test";
import {
	BLUE,
	bytesOf,
	corners,
	drawn,
	GREEN,
	look,
	painted,
	pixelsOf,
	quarters,
	RED,
	rendered,
	WHITE,
} from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";

/* Which part of a picture is shown because an address says so by numbers. */

/** 400×200: red and green above blue and white. */
const picture = await quarters();
/** Each pixel says where it lies. */
const grid = await painted(120, 80, (x, y) => [x, y, 0]);

describe("crop", () => {
	test("shows exactly the piece", async () => {
		const { width, height, at } = await look(grid, "crop=30,20,50,40");
		expect([width, height, at(0, 0), at(49, 39)]).toEqual([50, 40, [30, 20, 0], [79, 59, 0]]);
		const clipped = await look(grid, "crop=110,70,50,40");
		expect([clipped.width, clipped.height, clipped.at(0, 0)]).toEqual([10, 10, [110, 70, 0]]);
		const one = await look(grid, "crop=7,9,1,1");
		expect([one.width, one.height, one.at(0, 0)]).toEqual([1, 1, [7, 9, 0]]);
	});

	test("outside of the picture it is ignored", async () => {
		const { width, height } = await look(grid, "crop=120,0,5,5&saturation=0.5");
		expect([width, height]).toEqual([120, 80]);
	});

	test("comes before turning, sizing and filling", async () => {
		const piece = "crop=150,50,100,100";
		expect(corners(await look(picture, piece))).toEqual([RED, GREEN, WHITE, BLUE]);
		expect(corners(await look(picture, `${piece}&rotate=90`))).toEqual([BLUE, RED, GREEN, WHITE]);
		expect(corners(await look(picture, `${piece}&flip=h&w=50`))).toEqual([GREEN, RED, BLUE, WHITE]);
		const sized = await look(picture, "crop=100,0,200,100&size=s&format=png");
		expect([sized.width, sized.height]).toEqual([200, 100]);
		const cut = await look(picture, "crop=0,0,200,100&w=20&h=50&fit=cover");
		expect([cut.width, cut.height, ...new Set(corners(cut).map(String))]).toEqual([20, 50, String(RED)]);
	});

	test("faces and what the eye goes to count only inside", async () => {
		const face = { left: 0.8, top: 0.2, width: 0.1, height: 0.2 };
		const inside = await look(picture, "crop=100,0,300,100&w=50&h=100&fit=cover", { faces: [face] });
		expect(inside.at(25, 50)).toEqual(GREEN);
		const outside = await look(picture, "crop=0,0,240,100&w=50&h=100&fit=cover", {
			faces: [face],
			focus: { x: 0.9, y: 0.9 },
		});
		expect(outside.at(25, 50)).toEqual(RED);
	});

	test("shows the same piece of every frame", async () => {
		const { data } = await drawn(60, 80, (x, y) => (x < 30 ? RED : y < 40 ? BLUE : GREEN))
			.raw()
			.toBuffer({ resolveWithObject: true });
		const raw = { width: 60, height: 80, channels: 3, pageHeight: 40 } as const;
		const webp = await bytesOf(sharp(data, { raw }).webp({ lossless: true }));
		const { bytes } = await rendered(webp, "crop=25,10,20,15&lossless=true", "webp");
		for (const [page, colour] of [BLUE, GREEN].entries()) {
			const { width, height, at } = await pixelsOf(bytes, page);
			expect([width, height, at(0, 0).slice(0, 3), at(19, 14).slice(0, 3)]).toEqual([20, 15, RED, colour]);
		}
	});

	test("is of the upright picture", async () => {
		const turned = await bytesOf(sharp(picture).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }));
		const { bytes } = await rendered(turned, "crop=0,0,100,200&format=png", "jpg");
		const { width, height, at } = await pixelsOf(bytes);
		// Turned clockwise, blue is above red on the left.
		expect([width, height, (at(50, 100)[2] ?? 0) > 200]).toEqual([100, 200, true]);
	});
});

describe("focus", () => {
	const middle = async (query: string) => (await look(grid, query)).at(10, 20);

	test("is the point nearest to the middle of the cut", async () => {
		const cut = "w=20&h=40&fit=crop";
		// 120×80 becomes 60×40, of which 20 are seen.
		for (const [x, seen] of [
			[0, 20],
			[0.25, 30],
			[0.5, 60],
			[0.75, 90],
			[1, 100],
		] as const) {
			const [across = 0] = await middle(`${cut}&focus=${x},0.5`);
			expect([x, Math.abs(across - seen) <= 2]).toEqual([x, true]);
		}
	});

	test("is of the turned picture, and overrides faces", async () => {
		const faces = [{ left: 0, top: 0, width: 0.2, height: 0.2 }];
		const seen = await look(picture, "w=50&h=100&fit=cover&focus=top-right", { faces });
		expect(seen.at(25, 25)).toEqual(GREEN);
		const turned = await look(picture, "rotate=90&w=100&h=50&fit=cover&focus=top-right", { faces });
		expect(turned.at(90, 10)).toEqual(RED);
		const mirrored = await look(picture, "flip=h&w=50&h=100&fit=cover&focus=top-right", { faces });
		expect(mirrored.at(25, 25)).toEqual(RED);
	});

	test("is a share of the piece that is left", async () => {
		const { at } = await look(grid, "crop=60,0,60,80&w=20&h=80&fit=crop&focus=1,0");
		expect(at(0, 0)).toEqual([100, 0, 0]);
	});
});

describe("dpr", () => {
	test("gives more pixels of the same", async () => {
		const extent = async (query: string) => {
			const { width, height } = await look(await painted(1_200, 900, () => BLUE), query);
			return [width, height];
		};
		expect(await extent("w=100&dpr=2.5")).toEqual([250, 188]);
		expect(await extent("size=s&dpr=1.5")).toEqual([640, 480]);
		expect(await extent("size=s&dpr=2")).toEqual(await extent("size=m"));
		expect(await extent("size=m&dpr=3")).toEqual([1_200, 900]);
		expect(await extent("size=social&dpr=2&format=png")).toEqual([1_200, 630]);
	});

	test("blurs as wide as it enlarges", async () => {
		const edge = await painted(960, 960, (x) => (x < 480 ? [0, 0, 0] : WHITE));
		const soft = async (query: string) => {
			const { width, at } = await look(edge, query);
			return Array.from({ length: width }, (_, x) => at(x, 9)[0] ?? 0).filter((value) => value > 10 && value < 245)
				.length;
		};
		const once = await soft("size=s&blur=10");
		expect(Math.abs((await soft("size=s&blur=10&dpr=1.5")) - once * 1.5)).toBeLessThanOrEqual(2);
	});
});
