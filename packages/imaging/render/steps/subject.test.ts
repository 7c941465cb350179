import { describe, expect, test } from "bun:test";
import type { Mask } from "@svc/images/transform/analysis";
import {
	BLUE,
	bytesOf,
	drawn,
	GREEN,
	look,
	type Pixel,
	painted,
	pixelsOf,
	RED,
	rendered,
	WHITE,
} from "@svc/test/support/rendering";
import { sharp } from "../../sharp-settings.ts";

/** 120×80: columns of red and green, two pixels wide, and in the middle third columns of blue and white. */
const picture = await painted(120, 80, (x) => {
	const isOdd = Math.floor(x / 2) % 2 === 1;
	return isSubject(x) ? (isOdd ? WHITE : BLUE) : isOdd ? GREEN : RED;
});
/** A quarter as large: the middle third. */
const subject: Mask = {
	width: 30,
	height: 20,
	alpha: Uint8Array.from({ length: 600 }, (_, at) => (isSubject((at % 30) * 4) ? 255 : 0)),
};

function isSubject(x: number): boolean {
	return x >= 40 && x < 80;
}

const SUBJECT_AT = [60, 40] as const;
const GROUND_AT = [10, 40] as const;

async function seen(query: string, aids: { subject: Mask | null } = { subject }) {
	const { at, channels } = await look(picture, query, aids);
	return { subject: at(...SUBJECT_AT), ground: at(...GROUND_AT), channels, at };
}

describe("segment", () => {
	test("leaves the subject and makes the rest transparent [cdn.segment.foreground]", async () => {
		const { subject, at } = await seen("segment=foreground&format=png");
		expect(subject).toEqual([...BLUE, 255]);
		for (const x of [0, 10, 30, 90, 119]) expect([x, at(x, 40)[3]]).toEqual([x, 0]);
		for (const x of [46, 60, 74]) expect([x, at(x, 40)[3]]).toEqual([x, 255]);
	});

	test("stays transparent where the format can, and is white where not [cdn.segment.pair-png]", async () => {
		for (const format of ["png", "webp", "avif", "gif"]) {
			expect([format, (await seen(`segment=foreground&format=${format}`)).ground[3]]).toEqual([format, 0]);
		}
		expect((await seen("segment=foreground&format=jpg&q=100")).ground).toEqual(WHITE);
	});

	test("a background comes in place of the one removed [cdn.background.after-segment]", async () => {
		const swapped = await seen("segment=foreground&background=lime");
		expect([swapped.subject, swapped.ground, swapped.channels]).toEqual([BLUE, GREEN, 3]);
		expect((await seen("segment=foreground&background=rgba(0,0,255,0.5)")).ground).toEqual([...BLUE, 128]);
	});

	test("the edge is soft, not made of the mask's squares", async () => {
		const large = await look(picture, "segment=foreground&w=480&h=320&fit=squeeze", { subject });
		const alphas = Array.from({ length: 60 }, (_, x) => large.at(130 + x, 160)[3] ?? 0);
		expect(new Set(alphas).size).toBeGreaterThan(8);
		expect(alphas).toEqual(alphas.toSorted((a, b) => a - b));
		expect([alphas.at(0), alphas.at(-1)]).toEqual([0, 255]);
	});

	test("the mask goes through the same turns, cuts and sizes", async () => {
		// Subject and mask in the top left corner only.
		const corner = await painted(120, 80, (x, y) => (x < 60 && y < 40 ? BLUE : RED));
		const alpha = Uint8Array.from({ length: 600 }, (_, at) => (at % 30 < 15 && at < 300 ? 255 : 0));
		const queries = [
			"flip=h",
			"flip=v",
			"rotate=90",
			"rotate=270&flip=h&w=40",
			"w=60&h=60&fit=cover&gravity=left",
			"w=50&h=20&fit=cover&gravity=top&rotate=180",
			"w=400&h=100&fit=squeeze",
			"w=200&h=90&fit=pad&rotate=90",
			"trim=border&w=60",
			"trim=border&flip=h",
			"flip=h&w=60&h=60&fit=cover&gravity=left",
			"flip=v&rotate=180&w=60&h=60&fit=cover&gravity=right",
		];
		const content = { left: 0.25, top: 0.25, width: 0.5, height: 0.75 };
		for (const query of queries) {
			const aids = { subject: { width: 30, height: 20, alpha }, content };
			const { width, height, at } = await look(corner, `${query}&segment=foreground&background=lime`, aids);
			const plain = await look(corner, `${query}&background=lime`, aids);
			const isBlue = (pixel: Pixel) => (pixel[2] ?? 0) > 127;
			const places = Array.from(
				{ length: width * height },
				(_, index) => [index % width, Math.floor(index / width)] as const,
			);
			const wrong = places.filter(([x, y]) => isBlue(at(x, y)) !== isBlue(plain.at(x, y))).length;
			// A pixel or two along the edges.
			expect([query, wrong / (width * height) < 0.03]).toEqual([query, true]);
		}
	});

	test("colours and blur come afterwards, and the background is neither", async () => {
		const grey = await seen("segment=foreground&saturation=0&background=lime");
		expect(grey.ground).toEqual(GREEN);
		expect(new Set(grey.subject).size).toBe(1);
		expect((await seen("segment=foreground&blur=4&background=lime")).ground).toEqual(GREEN);
	});

	test("what was transparent stays so", async () => {
		const half = await painted(120, 80, (x) => (x < 60 ? [0, 0, 0, 0] : [...BLUE, 255]));
		const { at } = await look(half, "segment=foreground", { subject });
		expect([at(50, 40)[3], at(70, 40)[3], at(100, 40)[3]]).toEqual([0, 255, 0]);
	});
});

/** The difference of neighbouring columns. */
async function contrast(query: string, x: number): Promise<number> {
	const { at } = await seen(query);
	return Math.abs((at(x, 40)[1] ?? 0) - (at(x + 2, 40)[1] ?? 0));
}

describe("fx", () => {
	test("each changes the background; another one is ignored [cdn.fx.values]", async () => {
		const before = await seen("w=120");
		for (const fx of ["blur-bg", "color-pop", "darken-bg"]) {
			expect([fx, (await seen(`w=120&fx=${fx}`)).ground]).not.toEqual([fx, before.ground]);
		}
		expect((await seen("w=120&fx=foo")).ground).toEqual(before.ground);
	});

	test("the subject stays as it is [cdn.fx.subject-sharp]", async () => {
		for (const fx of ["blur-bg", "color-pop", "darken-bg"]) {
			const { at } = await seen(`fx=${fx}`);
			expect([fx, at(56, 40), at(58, 40), at(60, 40)]).toEqual([fx, BLUE, WHITE, BLUE]);
		}
		expect([await contrast("fx=blur-bg", 56), await contrast("w=120", 10)]).toEqual([255, 255]);
		expect(await contrast("fx=blur-bg", 10)).toBeLessThan(10);
		expect((await seen("fx=color-pop")).ground).toEqual([182, 182, 182]);
		expect((await seen("fx=darken-bg")).ground).toEqual([0, 128, 0]);
	});

	test("a blurred background has no halo of the subject's colours", async () => {
		for (const strength of [10, 60, 200]) {
			const { at } = await seen(`fx=blur-bg&strength=${strength}`);
			// Neither red nor green has any blue.
			for (const x of [0, 20, 34, 86, 119])
				expect([strength, x, (at(x, 40)[2] ?? 0) < 12]).toEqual([strength, x, true]);
		}
	});

	test("transparency is kept", async () => {
		const half = await painted(120, 80, (_, y) => (y < 40 ? [0, 0, 0, 0] : [200, 80, 40, 255]));
		for (const fx of ["blur-bg", "color-pop", "darken-bg"]) {
			const { at } = await look(half, `fx=${fx}`, { subject });
			expect([fx, at(10, 10)[3], at(10, 70)[3]]).toEqual([fx, 0, 255]);
		}
		// What is transparent has no colour that could run into the rest.
		const [r = 0] = (await look(half, "fx=blur-bg", { subject })).at(10, 42);
		expect(r).toBeGreaterThan(190);
	});
});

describe("strength", () => {
	test("is a radius, 60 where none is given [cdn.strength.blur-bg]", async () => {
		expect((await seen("fx=blur-bg&strength=60")).at(33, 40)).toEqual((await seen("fx=blur-bg")).at(33, 40));
		// Too small to be seen, and for libvips to do.
		expect(await contrast("fx=blur-bg&strength=0.2", 10)).toBe(255);
		expect(await contrast("fx=blur-bg&strength=4", 10)).toBeGreaterThan(await contrast("fx=blur-bg&strength=8", 10));
		const wide = await painted(600, 40, (x) => (x < 300 ? [0, 0, 0] : WHITE));
		const above = { width: 600, height: 40, alpha: new Uint8Array(24_000).fill(255, 0, 1_200) };
		const rise = async (query: string) => {
			const { at } = await look(wide, query, { subject: above });
			return (at(330, 30)[0] ?? 0) - (at(270, 30)[0] ?? 0);
		};
		const [some, usual, more] = [
			await rise("fx=blur-bg&strength=40"),
			await rise("fx=blur-bg"),
			await rise("fx=blur-bg&strength=200"),
		];
		expect(some).toBeGreaterThan(usual);
		expect(usual).toBeGreaterThan(more);
		// A radius as `blur` has it, since nothing of the subject is near.
		expect(Math.abs(usual - (await rise("blur=60")))).toBeLessThan(3);
	});

	test("is what the background keeps of its brightness, 0.5 where none is given [cdn.strength.darken-bg]", async () => {
		const ground = async (query: string) => (await seen(query)).ground;
		expect(await ground("fx=darken-bg&strength=0.5")).toEqual(await ground("fx=darken-bg"));
		expect(await ground("fx=darken-bg")).toEqual([0, 128, 0]);
		expect(await ground("fx=darken-bg&strength=0.2")).toEqual([0, 51, 0]);
		expect(await ground("fx=darken-bg&strength=1&w=120")).toEqual(await ground("w=120"));
	});

	test("is nothing to color-pop [cdn.strength.color-pop]", async () => {
		expect((await rendered(picture, "fx=color-pop&strength=10", "png", { subject })).bytes).toEqual(
			(await rendered(picture, "fx=color-pop", "png", { subject })).bytes,
		);
	});

	test("clamps to what the effect takes [cdn.strength.clamp, cdn.strength.range]", async () => {
		for (const [beyond, most] of [
			["fx=blur-bg&strength=999", "fx=blur-bg&strength=250"],
			["fx=darken-bg&strength=0", "fx=darken-bg&strength=0.05"],
			["fx=darken-bg&strength=9&w=120", "fx=darken-bg&strength=1&w=120"],
		] as const) {
			const [one, other] = [
				await rendered(picture, beyond, "png", { subject }),
				await rendered(picture, most, "png", { subject }),
			];
			expect([beyond, one.bytes]).toEqual([beyond, other.bytes]);
		}
	});

	test("is nothing on its own [cdn.strength.only-with-fx]", async () => {
		expect((await rendered(picture, "w=60&strength=100", "png", { subject })).bytes).toEqual(
			(await rendered(picture, "w=60", "png", { subject })).bytes,
		);
	});
});

describe("without a subject, and on animations", () => {
	const queries = ["segment=foreground&w=60", "fx=blur-bg&w=60", "fx=color-pop&w=60", "fx=darken-bg&w=60"];

	test("the picture stays whole", async () => {
		const { bytes } = await rendered(picture, "w=60");
		for (const query of queries) {
			expect([query, (await rendered(picture, query, "png", { subject: null })).bytes]).toEqual([query, bytes]);
			expect([query, (await rendered(picture, query)).bytes]).toEqual([query, bytes]);
		}
	});

	test("an animation stays whole, its first frame as a still does not", async () => {
		const strip = drawn(120, 160, (_, y) => (y < 80 ? RED : GREEN));
		const { data } = await strip.raw().toBuffer({ resolveWithObject: true });
		const gif = await bytesOf(sharp(data, { raw: { width: 120, height: 160, channels: 3, pageHeight: 80 } }).gif());
		const { bytes } = await rendered(gif, "w=60", "gif");
		for (const query of queries) {
			expect([query, (await rendered(gif, query, "gif", { subject })).bytes]).toEqual([query, bytes]);
		}
		const still = await rendered(gif, "segment=foreground&format=png", "gif", { subject });
		expect((await pixelsOf(still.bytes)).at(...GROUND_AT)[3]).toBe(0);
	});
});
