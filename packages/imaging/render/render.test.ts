import { describe, expect, test } from "bun:test";
import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import {
	BLUE,
	bytesOf,
	corners,
	drawn,
	GREEN,
	look,
	masterOf,
	painted,
	pixelsOf,
	quarters,
	RED,
	rendered,
	WHITE,
} from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";
import { sharpRenderer } from "./render.ts";

const picture = await quarters();

async function extent(query: string, bytes = picture): Promise<[number, number]> {
	const { width, height } = await look(bytes, query);
	return [width, height];
}

describe("size", () => {
	test("bounds the short side [cdn.size.s, cdn.size.m, cdn.size.l]", async () => {
		const large = await bytesOf(
			sharp({ create: { width: 4_320, height: 2_160, channels: 3, background: "red" } }).png(),
		);
		expect(await extent("size=s", large)).toEqual([640, 320]);
		expect(await extent("size=m", large)).toEqual([1_280, 640]);
		expect(await extent("size=l", large)).toEqual([2_160, 1_080]);
		expect(await extent("size=s")).toEqual([400, 200]);
	});

	test("is a JPEG card of 1200×630, enlarged and cut [cdn.size.social]", async () => {
		const { bytes, format } = await rendered(picture, "size=social");
		expect(format).toBe("jpg");
		expect(await sharp(bytes).metadata()).toMatchObject({ format: "jpeg", width: 1_200, height: 630 });
	});

	test("ignores manual sizing [cdn.size.skips-manual]", async () => {
		expect((await rendered(picture, "size=s&w=50&h=50&fit=cover")).bytes).toEqual(
			(await rendered(picture, "size=s")).bytes,
		);
	});
});

describe("w, h and fit", () => {
	test("scales proportionally [cdn.w-alone, cdn.h-alone]", async () => {
		expect(await extent("w=100")).toEqual([100, 50]);
		expect(await extent("h=100")).toEqual([200, 100]);
	});

	test("fits inside and never enlarges [cdn.fit.default, cdn.fit.scale-down-no-enlarge]", async () => {
		expect(await extent("w=100&h=100")).toEqual([100, 50]);
		expect(await extent("w=1000&h=1000")).toEqual([400, 200]);
	});

	test("fills 100×100 and trims the sides [cdn.fit.cover]", async () => {
		const cut = await look(picture, "w=100&h=100&fit=cover");
		expect([cut.width, cut.height]).toEqual([100, 100]);
		expect(corners(cut)).toEqual([RED, GREEN, WHITE, BLUE]);
		expect(await extent("w=600&h=600&fit=cover")).toEqual([600, 600]);
	});

	test("fills 100×100 and trims the sides, but never enlarges [cdn.fit.crop]", async () => {
		expect(corners(await look(picture, "w=100&h=100&fit=crop"))).toEqual([RED, GREEN, WHITE, BLUE]);
		expect(await extent("w=600&h=600&fit=crop")).toEqual([400, 200]);
		expect(await extent("w=300&h=300&fit=crop")).toEqual([200, 200]);
	});

	test("lays the whole picture on a canvas with transparent bars [cdn.fit.contain, cdn.fit.pad]", async () => {
		for (const fit of ["contain", "pad"]) {
			const boxed = await look(picture, `w=100&h=100&fit=${fit}`);
			expect([boxed.width, boxed.height]).toEqual([100, 100]);
			expect(boxed.at(50, 10)).toEqual([0, 0, 0, 0]);
			expect(boxed.at(50, 90)).toEqual([0, 0, 0, 0]);
			expect([boxed.at(10, 30), boxed.at(90, 30), boxed.at(90, 70), boxed.at(10, 70)]).toEqual(
				[RED, GREEN, WHITE, BLUE].map((colour) => [...colour, 255]),
			);
		}
	});

	test("bars take the background, and are white where the format has no alpha", async () => {
		expect((await look(picture, "w=100&h=100&fit=pad&background=navy")).at(50, 10)).toEqual([0, 0, 128]);
		expect((await look(picture, "w=100&h=100&fit=pad&background=rgba(0,0,255,0.5)")).at(50, 10)).toEqual([
			0, 0, 255, 128,
		]);
		expect((await look(picture, "w=100&h=100&fit=pad&format=jpg")).at(50, 10)).toEqual(WHITE);
		expect((await look(picture, "w=100&h=100&fit=pad&format=jpg&blur=2")).at(50, 5)).toEqual(WHITE);
	});

	test("fills exactly and keeps no ratio [cdn.fit.squeeze]", async () => {
		const squeezed = await look(picture, "w=100&h=100&fit=squeeze");
		expect([squeezed.width, squeezed.height]).toEqual([100, 100]);
		expect([squeezed.at(40, 40), squeezed.at(60, 60)]).toEqual([RED, WHITE]);
	});

	test("an extreme ratio is cut before it is enlarged", async () => {
		const line = await painted(2, 900, (_, y) => (y < 450 ? RED : BLUE));
		expect(await extent("w=3000&h=2000&fit=cover&gravity=top", line)).toEqual([3_000, 2_000]);
	});

	test("the named side stays [cdn.gravity.values]", async () => {
		const strip = await painted(300, 100, (x) => (x < 100 ? RED : x < 200 ? GREEN : BLUE));
		const middle = async (gravity: string) => (await look(strip, `w=50&h=50&fit=cover&gravity=${gravity}`)).at(25, 25);
		expect([await middle("left"), await middle("right"), await middle("auto"), await middle("top")]).toEqual([
			RED,
			BLUE,
			GREEN,
			GREEN,
		]);
		const tower = await painted(100, 300, (_, y) => (y < 100 ? RED : y < 200 ? GREEN : BLUE));
		const centre = async (gravity: string) => (await look(tower, `w=50&h=50&fit=cover&gravity=${gravity}`)).at(25, 25);
		expect([await centre("top"), await centre("bottom"), await centre("left")]).toEqual([RED, BLUE, GREEN]);
	});
});

describe("turns", () => {
	test("rotates clockwise [cdn.rotate]", async () => {
		expect(corners(await look(picture, "rotate=90"))).toEqual([BLUE, RED, GREEN, WHITE]);
		expect(corners(await look(picture, "rotate=180"))).toEqual([WHITE, BLUE, RED, GREEN]);
		expect(corners(await look(picture, "rotate=270"))).toEqual([GREEN, WHITE, BLUE, RED]);
		expect(await extent("rotate=90&w=100")).toEqual([100, 200]);
	});

	test("mirrors [cdn.flip.h, cdn.flip.v, cdn.flip.hv]", async () => {
		expect(corners(await look(picture, "flip=h"))).toEqual([GREEN, RED, BLUE, WHITE]);
		expect(corners(await look(picture, "flip=v"))).toEqual([BLUE, WHITE, GREEN, RED]);
		expect(corners(await look(picture, "flip=hv"))).toEqual([WHITE, BLUE, RED, GREEN]);
	});

	test("mirrors before it rotates, and both before sides are named", async () => {
		expect(corners(await look(picture, "flip=h&rotate=90"))).toEqual([WHITE, GREEN, RED, BLUE]);
		const top = await look(picture, "rotate=90&w=50&h=50&fit=cover&gravity=top");
		expect([top.at(10, 25), top.at(40, 25)]).toEqual([BLUE, RED]);
	});

	test("comes after the master's own orientation, which is gone from the rendition", async () => {
		const sideways = await bytesOf(
			sharp(picture).jpeg({ quality: 95, chromaSubsampling: "4:4:4" }).withMetadata({ orientation: 6 }),
		);
		for (const query of ["w=100", "w=100&gamma=1.001", "metadata=keep&w=100"]) {
			const { bytes } = await rendered(sideways, query, "jpg");
			expect([query, (await sharp(bytes).metadata()).orientation ?? 1]).toEqual([query, 1]);
			const upright = await pixelsOf(bytes);
			expect([upright.width, upright.height]).toEqual([100, 200]);
			expect(near(corners(upright), [BLUE, RED, GREEN, WHITE])).toBeLessThan(12);
		}
		const back = await pixelsOf((await rendered(sideways, "rotate=270&w=200", "jpg")).bytes);
		expect(near(corners(back), [RED, GREEN, WHITE, BLUE])).toBeLessThan(12);
	});
});

describe("format", () => {
	test("writes every format [cdn.format.values]", async () => {
		const names = { jpg: "jpeg", png: "png", webp: "webp", avif: "heif", gif: "gif" } as const;
		for (const format of OUTPUT_FORMATS) {
			const rendition = await rendered(picture, `format=${format}&w=64`);
			const { format: found, width } = await sharp(rendition.bytes).metadata();
			expect([rendition.format, found, width]).toEqual([format, names[format], 64]);
		}
	});

	test("quality decides the size of lossy files [cdn.q.number, cdn.q.named]", async () => {
		const photo = await painted(200, 200, (x, y) => [(x * y) % 256, (x * 7 + y * 3) % 256, (x ^ y) % 256]);
		for (const format of ["jpg", "webp", "avif"]) {
			const levels = ["1", "low", "medium-low", "medium-high", "high", "100"];
			const sizes = await Promise.all(
				levels.map(async (q) => (await rendered(photo, `format=${format}&q=${q}`)).bytes.length),
			);
			expect([format, sizes]).toEqual([format, sizes.toSorted((a, b) => a - b)]);
			expect(new Set(sizes).size).toBe(levels.length);
		}
	});

	test("quality leaves PNG as it is [cdn.q.lossy-only]", async () => {
		expect((await rendered(picture, "w=50&q=1")).bytes).toEqual((await rendered(picture, "w=50&q=100")).bytes);
	});

	test("a picture too long for WebP becomes as long as WebP can hold", async () => {
		const long = await bytesOf(sharp({ create: { width: 20_000, height: 20, channels: 3, background: "red" } }).png());
		expect(await extent("format=webp", long)).toEqual([16_383, 16]);
	});
});

describe("masters", () => {
	test("ink, 16 bits, greys and palettes come out as plain sRGB", async () => {
		const grey = drawn(40, 20, () => [128, 128, 128]);
		const red = drawn(40, 20, () => RED);
		const masters = [
			["jpg", await bytesOf(grey.clone().toColourspace("b-w").jpeg()), [128, 128, 128]],
			["jpg", await bytesOf(grey.clone().toColourspace("cmyk").jpeg({ quality: 100 })), [128, 128, 128]],
			["png", await bytesOf(grey.clone().toColourspace("rgb16").png()), [128, 128, 128]],
			["png", await bytesOf(grey.clone().toColourspace("b-w").png()), [128, 128, 128]],
			["png", await bytesOf(red.clone().png({ palette: true })), RED],
			["png", await bytesOf(red.clone().withIccProfile("p3").png()), RED],
			["jpg", await bytesOf(red.clone().withIccProfile("p3").jpeg({ quality: 100, chromaSubsampling: "4:4:4" })), RED],
		] as const;
		for (const [format, bytes, colour] of masters) {
			for (const query of ["w=20&format=png", "w=20&format=png&blur=1"]) {
				const small = await pixelsOf((await rendered(bytes, query, format)).bytes);
				expect(small.channels).toBe(3);
				// Greys in ink come back a little darker: no profile says which ink.
				expect(near([small.at(10, 5)], [colour])).toBeLessThan(16);
			}
		}
	});

	test("a truncated one fails instead of being painted grey", async () => {
		const whole = await bytesOf(sharp(picture).jpeg());
		const half = whole.slice(0, whole.length / 2);
		expect(rendered(half, "w=20", "jpg")).rejects.toThrow();
	});

	test("nothing is started for a client that has left", async () => {
		const reason = new Error("gone");
		const render = sharpRenderer().render(masterOf(picture, "png"), { w: 10 }, {}, AbortSignal.abort(reason));
		expect(render).rejects.toBe(reason);
	});
});

/** The largest difference of any channel. */
function near(found: readonly (readonly number[])[], expected: readonly (readonly number[])[]): number {
	return Math.max(
		...found.flatMap((pixel, index) =>
			pixel.map((value, channel) => Math.abs(value - (expected[index]?.[channel] ?? 999))),
		),
	);
}
