import { describe, expect, test } from "bun:test";
import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import { parseTransform } from "@svc/images/transform/transform";
import { bytesOf, drawn, masterOf, RED } from "@svc/test/support/rendering";
import { sharpRenderer } from "./render.ts";
import { laneOf, type Priced, renderPrice } from "./render-price.ts";

const CAMERA: Priced = { format: "jpg", width: 4_032, height: 3_024 };
const BOMB: Priced = { format: "jpg", width: 10_400, height: 10_400 };
const COPIES = [2, 4, 8];
const MIB = 1_024 ** 2;

function price(master: Priced, query: string, factors: readonly number[] = []) {
	return renderPrice(master, parseTransform(new URLSearchParams(query)), {}, factors);
}

const lane = (...asked: Parameters<typeof price>) => laneOf(price(...asked));

describe("lanes", () => {
	test.each(["size=s", "size=m", "w=320", "w=640&format=webp", "w=640&format=avif", "w=150&h=150&fit=cover"])(
		"%s from a smaller copy is cheap",
		(query) => expect(lane(CAMERA, query, COPIES)).toBe("cheap"),
	);

	test.each(["format=avif", "w=4000&format=avif", "blur=250", "rotate=90", "w=3000", "format=gif", "fx=blur-bg"])(
		"%s of a large picture is dear",
		(query) => {
			expect(lane(CAMERA, query, COPIES)).toBe("dear");
			expect(lane(BOMB, query, COPIES)).toBe("dear");
		},
	);
});

describe("bytes", () => {
	test("nothing that can be asked of the largest picture takes more than there is, beside cheap work", () => {
		const queries = [
			"format=",
			"blur=250&format=",
			"rotate=90&format=",
			"fx=blur-bg&format=",
			"sharp=10&w=4096&h=4096&format=",
			"radius=max&format=",
			"lossless=true&format=",
			`overlay=img_${"0".repeat(22)}&radius=max&format=`,
		];
		for (const query of queries) {
			for (const format of OUTPUT_FORMATS) {
				for (const q of [80, "auto"]) {
					expect(price(BOMB, `${query}${format}&q=${q}`).bytes).toBeLessThanOrEqual(576 * MIB);
				}
			}
		}
	});

	test.each(["saturation=0", "brightness=1.5", "contrast=1.5", "gamma=2"])(
		"%s looks at each pixel, and costs what that costs, whichever parameter asks for it",
		(query) => {
			expect(price(CAMERA, query)).toEqual(price(CAMERA, "saturation=0.5"));
			expect(price(CAMERA, query).bytes).toBeGreaterThan(price(CAMERA, "format=jpg").bytes);
		},
	);

	test("a decoder that cannot scale holds all of an AVIF; a smaller copy takes its place", () => {
		const avif: Priced = { format: "avif", width: 4_000, height: 3_000 };
		expect(price(avif, "w=300").bytes).toBeGreaterThan(200 * MIB);
		expect(price(avif, "w=300", COPIES).bytes).toBeLessThan(20 * MIB);
	});

	test("with a copy of its own size no rendition of an AVIF pays for its decoder", () => {
		const avif: Priced = { format: "avif", width: 5_900, height: 5_900 };
		for (const format of OUTPUT_FORMATS) {
			expect(price(avif, `blur=250&format=${format}`, [1, ...COPIES]).bytes).toBeLessThanOrEqual(576 * MIB);
		}
		expect(price(avif, "format=webp").bytes).toBeGreaterThan(640 * MIB);
	});

	test("a quality that is looked for, pixels without loss, and what lies over a picture cost more", () => {
		for (const [dear, plain] of [
			["w=1000&q=auto", "w=1000"],
			["w=1000&format=webp&lossless=true", "w=1000&format=webp"],
			["w=1000&radius=9", "w=1000"],
		] as const) {
			expect(price(CAMERA, dear).cpuMs).toBeGreaterThan(price(CAMERA, plain).cpuMs);
			expect(price(CAMERA, dear).bytes).toBeGreaterThan(price(CAMERA, plain).bytes);
		}
		expect(lane(CAMERA, "size=m&q=auto", COPIES)).toBe("cheap");
		const overlay = masterOf(new Uint8Array(), "png");
		const over = { ...overlay, width: 6_000, height: 6_000 };
		const query = new URLSearchParams(`w=300&overlay=img_${"0".repeat(22)}`);
		expect(renderPrice(CAMERA, parseTransform(query), { overlay: over }, COPIES).cpuMs).toBeGreaterThan(400);
	});

	test("what may be transparent pays for its alpha: corners, bars, and pixels that the header tells of", () => {
		for (const format of ["webp", "avif"]) {
			const solid = price(CAMERA, `w=2560&format=${format}`).bytes;
			const own = { ...CAMERA, hasAlpha: true };
			const clear = price(own, `w=2560&format=${format}`).bytes;
			expect(clear).toBeGreaterThan(solid);
			expect(price(own, `w=2560&format=${format}&background=white`).bytes).toBeLessThan(clear);
			expect(price(CAMERA, `w=2560&radius=9&format=${format}`).bytes).toBeGreaterThan(clear);
			expect(price(CAMERA, `w=2560&h=2560&fit=pad&format=${format}`).bytes).toBeGreaterThan(clear);
		}
	});

	test("frames, scans and deep samples count where they are known", () => {
		expect(price({ ...CAMERA, scanBytes: 36_000_000 }, "w=300").bytes).toBeGreaterThan(
			price(CAMERA, "w=300").bytes * 2,
		);
		const png: Priced = { format: "png", width: 4_000, height: 3_000 };
		expect(price({ ...png, sampleBytes: 2 }, "w=300").bytes).toBeGreaterThan(price(png, "w=300").bytes);
		const gif: Priced = { format: "gif", width: 400, height: 300 };
		expect(price({ ...gif, frames: 300 }, "w=300").cpuMs).toBeGreaterThan(price(gif, "w=300").cpuMs * 100);
	});
});

test.each([
	["4:4:4", 6],
	["4:2:0", 3],
] as const)(
	"coefficients of several scans of a JPEG of %s are priced with %d bytes a pixel at least, as they are held",
	async (chromaSubsampling, least) => {
		const [width, height] = [64, 48];
		const facts: Partial<Priced>[] = [];
		for (const progressive of [true, false]) {
			const picture = drawn(width, height, () => RED).jpeg({ progressive, chromaSubsampling });
			const master = masterOf(await bytesOf(picture), "jpg");
			const opened = (one: Partial<Priced>) => void facts.push(one);
			await sharpRenderer({ opened }).render(master, {}, {}, new AbortController().signal);
		}
		const [scans = Number.NaN, one = Number.NaN] = facts.map(
			(of) => price({ format: "jpg", width, height, ...of }, "w=16").bytes,
		);
		expect(scans - one).toBeGreaterThanOrEqual(least * width * height);
	},
);

test("more of a format was less work than expected: the next one is cheaper", () => {
	const transform = parseTransform(new URLSearchParams("format=avif"));
	const half = renderPrice(CAMERA, transform, {}, [], (format) => (format === "avif" ? 0.5 : 1));
	expect(half.cpuMs).toBeCloseTo(price(CAMERA, "format=avif").cpuMs / 2, -1);
});
