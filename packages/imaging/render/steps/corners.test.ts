import { describe, expect, test } from "bun:test";
import {
	BLUE,
	bytesOf,
	drawn,
	GREEN,
	look,
	painted,
	pixelsOf,
	RED,
	rendered,
	WHITE,
} from "@svc/test/support/rendering";
import { sharp } from "../../sharp-settings.ts";

const picture = await painted(100, 60, () => BLUE);

type Look = Awaited<ReturnType<typeof look>>;

/** How much of a corner is left: the sum of its pixels' alpha, in pixels. */
function areaOf({ width, height, at }: Look): number {
	let sum = 0;
	for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) sum += (at(x, y)[3] ?? 255) / 255;
	return sum;
}

describe("radius", () => {
	test("takes four quarters of a circle's outside away, smoothly", async () => {
		for (const [query, radius] of [
			["radius=10", 10],
			["radius=25", 25],
			["radius=max", 30],
			["radius=31", 30],
			["radius=2048", 30],
		] as const) {
			const rounded = await look(picture, query);
			const lost = (4 - Math.PI) * radius ** 2;
			expect(Math.abs(areaOf(rounded) - (6_000 - lost))).toBeLessThan(0.02 * lost + 2);
		}
		const { at } = await look(picture, "radius=20");
		expect([at(0, 0)[3], at(99, 0)[3], at(0, 59)[3], at(99, 59)[3], at(50, 0)[3], at(0, 30)[3]]).toEqual([
			0, 0, 0, 0, 255, 255,
		]);
		const edge = Array.from({ length: 20 }, (_, x) => at(x, 5)[3] ?? 0);
		expect(edge.some((alpha) => alpha > 0 && alpha < 255)).toBe(true);
	});

	test("a JPEG's corners are white, or the background, and its middle stays", async () => {
		for (const [query, colour] of [
			["", WHITE],
			["&background=lime", GREEN],
		] as const) {
			const { at } = await look(picture, `radius=20&format=jpg&q=100${query}`);
			for (const [seen, due] of [
				[at(1, 1), colour],
				[at(98, 58), colour],
				[at(50, 30), BLUE],
			] as const) {
				expect(seen.every((value, channel) => Math.abs(value - (due[channel] ?? 0)) < 25)).toBe(true);
			}
		}
	});

	test("rounds what is finished: after cutting, turning, padding and all that lies over it", async () => {
		const tile = { blob: { bytes: 0, path: undefined, read: async () => picture, stream: () => new Blob().stream() } };
		const over = { ...tile, format: "png", width: 100, height: 60 } as const;
		for (const query of [
			"w=50&h=50&fit=cover",
			"rotate=90",
			"w=80&h=80&fit=pad&background=red",
			`tile=img_${"0".repeat(22)}`,
		]) {
			const rounded = await look(picture, `${query}&radius=12`, { tile: over });
			const { width, height } = rounded;
			const lost = (4 - Math.PI) * 12 ** 2;
			expect(Math.abs(areaOf(rounded) - (width * height - lost))).toBeLessThan(4);
		}
	});

	test("multiplies what is transparent already", async () => {
		const half = await painted(40, 40, () => [...RED, 128]);
		const { at } = await look(half, "radius=10");
		expect([at(0, 0)[3], at(20, 20)[3]]).toEqual([0, 128]);
	});

	test("dpr multiplies it beside a size that it does not name", async () => {
		const large = await painted(900, 900, () => BLUE);
		const rounded = await look(large, "size=s&dpr=1.5&radius=40");
		expect(rounded.width).toBe(480);
		expect(Math.abs(480 ** 2 - areaOf(rounded) - (4 - Math.PI) * 60 ** 2)).toBeLessThan(20);
	});

	test.each(["gif", "webp"] as const)("rounds every frame of a %s", async (format) => {
		const { data } = await drawn(60, 120, (_, y) => (y < 60 ? BLUE : GREEN))
			.raw()
			.toBuffer({ resolveWithObject: true });
		const raw = { width: 60, height: 120, channels: 3, pageHeight: 60 } as const;
		const master = await bytesOf(sharp(data, { raw })[format]());
		const { bytes } = await rendered(master, "radius=20", format);
		for (const page of [0, 1]) {
			const { at } = await pixelsOf(bytes, page);
			expect([at(1, 1)[3], at(58, 58)[3], at(30, 30)[3]]).toEqual([0, 0, 255]);
		}
	});

	test("is at most half of a side of the tiniest picture", async () => {
		const dot = await painted(1, 1, () => BLUE);
		expect((await look(dot, "radius=max")).at(0, 0)[3]).toBeGreaterThan(200);
	});
});
