import { describe, expect, test } from "bun:test";
import type { RenderAids } from "@svc/images/ports";
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
import { sharp } from "../sharp-settings.ts";

/* Which part of a picture is shown: trimmed, cut around faces or the focus, zoomed. */

const GREY = [120, 120, 120];

/** 100×100: four colours inside a border of 10 pixels. */
const bordered = await painted(100, 100, (x, y) => {
	if (Math.min(x, y) < 10 || Math.max(x, y) >= 90) return GREY;
	return y < 50 ? (x < 50 ? RED : GREEN) : x < 50 ? BLUE : WHITE;
});
const content = { left: 0.1, top: 0.1, width: 0.8, height: 0.8 };

/** 600×200, grey with a red face at 480…520 and a blue one at 80…120, both at half of the height. */
const crowd = await painted(600, 200, (x, y) => {
	if (Math.abs(y - 99.5) > 20) return GREY;
	return Math.abs(x - 499.5) < 20 ? RED : Math.abs(x - 99.5) < 20 ? BLUE : GREY;
});
const redFace = { left: 480 / 600, top: 0.4, width: 40 / 600, height: 0.2 };
const blueFace = { ...redFace, left: 80 / 600 };

const rawPixels = async (bytes: Uint8Array) => await sharp(bytes).raw().toBuffer();

describe("trim", () => {
	test("100×100 with a border of 10 becomes the 80×80 inside [cdn.trim]", async () => {
		const trimmed = await look(bordered, "trim=border", { content });
		expect([trimmed.width, trimmed.height]).toEqual([80, 80]);
		expect([trimmed.at(0, 0), trimmed.at(79, 0), trimmed.at(0, 79), trimmed.at(79, 79)]).toEqual([
			RED,
			GREEN,
			BLUE,
			WHITE,
		]);
	});

	test("comes before turns and sizes", async () => {
		const turned = await look(bordered, "trim=border&rotate=90&w=40", { content });
		expect([turned.width, turned.height]).toEqual([40, 40]);
		expect([turned.at(1, 1), turned.at(38, 1), turned.at(1, 38)]).toEqual([BLUE, RED, WHITE]);
	});

	test("cuts the same part whichever way it is turned then, and however wide the border is on each side [cdn.trim, cdn.flip.h, cdn.flip.v, cdn.flip.hv, cdn.rotate]", async () => {
		const inside = { left: 30, top: 10, width: 40, height: 20 };
		const places = (x: number, y: number) => [(x - inside.left) * 5, (y - inside.top) * 10, 200];
		const isInside = (x: number, y: number) => x >= 30 && x < 70 && y >= 10 && y < 30;
		const lopsided = await painted(80, 60, (x, y) => (isInside(x, y) ? places(x, y) : WHITE));
		const aids = { content: { left: 30 / 80, top: 10 / 60, width: 40 / 80, height: 20 / 60 } };
		const plain = await painted(40, 20, (x, y) => places(x + inside.left, y + inside.top));
		for (const flip of ["", "h", "v", "hv"]) {
			for (const rotate of ["", "90", "180", "270"]) {
				for (const size of ["", "w=20", "w=10&h=10&fit=cover&gravity=left"]) {
					const query = `flip=${flip}&rotate=${rotate}&${size}&format=png`;
					const [cut, whole] = [
						await rendered(lopsided, `trim=border&${query}`, "png", aids),
						await rendered(plain, query),
					];
					expect([query, await rawPixels(cut.bytes)]).toEqual([query, await rawPixels(whole.bytes)]);
				}
			}
		}
	});

	test("changes nothing where there is no border, or none is asked for", async () => {
		const whole = await look(bordered, "w=50");
		expect((await look(bordered, "trim=border&w=50", { content: null })).at(1, 1)).toEqual(whole.at(1, 1));
		expect((await look(bordered, "trim=foo&w=50", { content })).at(1, 1)).toEqual(GREY);
	});

	test("cuts every frame of an animation like its first", async () => {
		const strip = drawn(40, 60, (x, y) =>
			x < 10 ? GREY : (([RED, GREEN, BLUE][Math.floor(y / 20)] ?? WHITE) as Pixel),
		);
		const { data } = await strip.raw().toBuffer({ resolveWithObject: true });
		const gif = await bytesOf(sharp(data, { raw: { width: 40, height: 60, channels: 3, pageHeight: 20 } }).gif());
		const aids = { content: { left: 0.25, top: 0, width: 0.75, height: 1 } };
		const { bytes } = await rendered(gif, "trim=border", "gif", aids);
		expect((await sharp(bytes).metadata()).pages).toBe(3);
		for (const [page, [r = 0, g = 0, b = 0]] of [RED, GREEN, BLUE].entries()) {
			const frame = await pixelsOf(bytes, page);
			expect([frame.width, frame.height]).toEqual([30, 20]);
			const [red = 0, green = 0, blue = 0] = frame.at(0, 10);
			expect(Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b)).toBeLessThan(40);
		}
	});
});

async function middle(query: string, aids: RenderAids): Promise<Pixel> {
	const { width, height, at } = await look(crowd, query, aids);
	return at(width / 2, height / 2);
}

describe("gravity", () => {
	const square = "w=100&h=100&fit=cover";

	test("face and auto keep the face, wherever it is and however the picture is turned [cdn.gravity.values]", async () => {
		for (const gravity of ["face", "auto"]) {
			for (const query of [square, `${square}&flip=h`, `${square}&rotate=90`, "w=100&h=100&fit=crop"]) {
				expect(await middle(`${query}&gravity=${gravity}`, { faces: [redFace] })).toEqual(RED);
				expect(await middle(`${query}&gravity=${gravity}`, { faces: [blueFace] })).toEqual(BLUE);
			}
		}
		const card = await look(crowd, "size=social&format=png", { faces: [redFace] });
		expect(card.at(1_200 - 315, 315)).toEqual(RED);
	});

	test("none is auto, byte for byte [cdn.gravity.default]", async () => {
		const aids = { faces: [redFace], focus: { x: 0.2, y: 0.5 } };
		const [none, auto] = await Promise.all(
			[square, `${square}&gravity=auto`].map((query) => rendered(crowd, query, "png", aids)),
		);
		expect(none?.bytes).toEqual(auto?.bytes);
	});

	test("without a face both keep the focus, and without one the middle", async () => {
		for (const gravity of ["face", "auto"]) {
			const query = `${square}&gravity=${gravity}`;
			expect(await middle(query, { faces: [], focus: { x: 500 / 600, y: 0.5 } })).toEqual(RED);
			expect(await middle(query, { faces: [] })).toEqual(GREY);
		}
	});

	test("of faces too far apart the surest is kept", async () => {
		expect(await middle(square, { faces: [blueFace, redFace] })).toEqual(BLUE);
		const both = await look(crowd, "w=300&h=100&fit=cover", { faces: [blueFace, redFace] });
		expect([both.at(50, 50), both.at(250, 50)]).toEqual([BLUE, RED]);
	});

	test("a named side leaves faces and focus out of it", async () => {
		const aids = { faces: [redFace], focus: { x: 1, y: 1 } };
		expect((await rendered(crowd, `${square}&gravity=left`, "png", aids)).bytes).toEqual(
			(await rendered(crowd, `${square}&gravity=left`)).bytes,
		);
	});
});

describe("zoom", () => {
	/** How much of the rendition is face. */
	async function share(query: string, aids: RenderAids = { faces: [redFace] }): Promise<number> {
		const { width, height, at } = await look(crowd, `w=100&h=100&fit=cover&${query}`, aids);
		let red = 0;
		for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if ((at(x, y)[0] ?? 0) > 200) red++;
		return red / (width * height);
	}

	test("0 shows the most around a face, 1 the least, and equal steps enlarge equally [cdn.zoom.tightness]", async () => {
		const [none, half, full] = [
			await share("gravity=face"),
			await share("gravity=face&zoom=0.5"),
			await share("gravity=face&zoom=1"),
		];
		expect(none).toBeCloseTo(0.04, 2);
		expect(full).toBeCloseTo(0.25, 1);
		expect(half).toBeCloseTo(Math.sqrt(none * full), 1);
	});

	test("has no effect without gravity=face, or without a face", async () => {
		expect(await share("zoom=1")).toBe(await share(""));
		expect(await share("gravity=face&zoom=1", {})).toBe(await share("", {}));
	});

	test("is a number from 0 to 1; all else is as if it were not there [cdn.zoom.range]", async () => {
		const none = await share("gravity=face");
		for (const zoom of ["0", "1.1", "-1", "x"])
			expect([zoom, await share(`gravity=face&zoom=${zoom}`)]).toEqual([zoom, none]);
		for (const zoom of ["0.5", "1"]) expect(await share(`gravity=face&zoom=${zoom}`)).toBeGreaterThan(none);
	});

	test("crop comes closer without enlarging", async () => {
		const { width, height } = await look(crowd, "w=100&h=100&fit=crop&gravity=face&zoom=1", { faces: [redFace] });
		expect([width, height]).toEqual([80, 80]);
	});
});
