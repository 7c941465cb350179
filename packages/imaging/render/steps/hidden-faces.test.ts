import { describe, expect, test } from "bun:test";
import { bytesOf, drawn, look, masterOf, pixelsOf, rendered } from "@svc/test/support/rendering";
import { sharp } from "../../sharp-settings.ts";

/** Fine noise, of which nothing may be left: 400×300, the face in its middle 100×120. */
const noise = await bytesOf(
	drawn(400, 300, (x, y) => [(x * 97 + y * 57) % 256, (x * 31 + y * 83) % 256, (x * y) % 256]).png(),
);
const FACE = { left: 0.375, top: 0.3, width: 0.25, height: 0.4 };
const aids = { every_face: [FACE] };

type Decoded = Awaited<ReturnType<typeof look>>;

/** The largest step between pixels side by side. */
function roughness({ at }: Decoded, left: number, top: number, width: number, height: number): number {
	let most = 0;
	for (let y = top; y < top + height; y++) {
		for (let x = left; x < left + width; x++) {
			for (let channel = 0; channel < 3; channel++) {
				most = Math.max(most, Math.abs((at(x, y)[channel] ?? 0) - (at(x + 1, y)[channel] ?? 0)));
			}
		}
	}
	return most;
}

describe("fx=blur-faces", () => {
	test("leaves nothing fine of a face, and all that is outside of its ellipse", async () => {
		const [hidden, plain] = [await look(noise, "fx=blur-faces&format=png", aids), await look(noise, "format=png")];
		expect(roughness(plain, 150, 90, 98, 120)).toBeGreaterThan(90);
		// All of the box but its corners, which lie outside of the ellipse.
		expect(roughness(hidden, 170, 90, 60, 120)).toBeLessThan(20);
		expect(roughness(hidden, 150, 115, 98, 70)).toBeLessThan(20);
		for (const [x, y] of [
			[0, 0],
			[134, 150],
			[266, 150],
			[200, 71],
			[200, 229],
			[399, 299],
		] as const) {
			expect([x, y, ...hidden.at(x, y)]).toEqual([x, y, ...plain.at(x, y)]);
		}
	});

	test("shows the same colours in every part of the picture, so that many parts tell no more than one", async () => {
		const whole = await look(noise, "fx=blur-faces&format=png", aids);
		for (const [left, top] of [
			[180, 120],
			[181, 120],
			[195, 133],
		] as const) {
			const piece = await look(noise, `crop=${left},${top},30,30&fx=blur-faces&format=png`, aids);
			for (const at of [2, 15, 28]) expect(piece.at(at, at)).toEqual(whole.at(left + at, top + at));
		}
	});

	test("a part of a face that was taken for a face as well tells no more of it, whatever comes first", async () => {
		const eye = { left: 0.45, top: 0.4, width: 0.05, height: 0.05 };
		const alone = await look(noise, "fx=blur-faces&format=png", aids);
		for (const every_face of [
			[eye, FACE],
			[FACE, eye],
		]) {
			const both = await look(noise, "fx=blur-faces&format=png", { every_face });
			for (const [x, y] of [
				[185, 125],
				[190, 130],
				[195, 128],
			] as const)
				expect(both.at(x, y)).toEqual(alone.at(x, y));
		}
	});

	test("finds the face where the picture is turned, mirrored, cut and smaller", async () => {
		for (const [query, x, y] of [
			["rotate=90&w=150", 75, 100],
			["flip=h", 200, 150],
			["rotate=180&w=200", 100, 75],
			["w=150&h=150&fit=cover&focus=center", 75, 75],
			["w=200&h=200&fit=pad", 100, 100],
		] as const) {
			const seen = await look(noise, `${query}&fx=blur-faces&format=png`, aids);
			expect([query, roughness(seen, x - 10, y - 10, 20, 20) < 20]).toEqual([query, true]);
		}
	});

	test("hides them in what is cut out, too", async () => {
		const alpha = new Uint8Array(1_200).fill(255);
		const subject = { width: 40, height: 30, alpha };
		const seen = await look(noise, "segment=foreground&fx=blur-faces&format=png", { ...aids, subject });
		expect(roughness(seen, 170, 110, 60, 80)).toBeLessThan(20);
	});

	test("nobody has looked for faces: nothing is shown", async () => {
		await expect(rendered(noise, "fx=blur-faces", "png")).rejects.toThrow("nobody has looked for");
	});

	test("without faces the pixels stay; nothing embedded does", async () => {
		const master = await bytesOf(
			sharp(noise)
				.withExif({ IFD0: { Artist: "Ada", Copyright: "Ada" } })
				.jpeg(),
		);
		const plain = await pixelsOf((await rendered(master, "format=png&metadata=none", "jpg")).bytes);
		for (const query of ["fx=blur-faces", "fx=blur-faces&metadata=keep", "fx=blur-faces&metadata=copyright"]) {
			const { bytes } = await rendered(master, `${query}&format=png`, "jpg", { every_face: [] });
			const { exif, xmp, iptc, icc } = await sharp(bytes).metadata();
			expect([exif, xmp, iptc, icc]).toEqual([undefined, undefined, undefined, undefined]);
			expect((await pixelsOf(bytes)).at(33, 44)).toEqual(plain.at(33, 44));
		}
	});

	test("an animation becomes a still: its other frames have faces elsewhere", async () => {
		const { data } = await drawn(40, 60, () => [200, 10, 10])
			.raw()
			.toBuffer({ resolveWithObject: true });
		const moving = await bytesOf(sharp(data, { raw: { width: 40, height: 60, channels: 3, pageHeight: 20 } }).webp());
		const { bytes } = await rendered(moving, "fx=blur-faces", "webp", aids);
		expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1);
	});

	test("a face at the edge, or of less than a pixel, is hidden as well", async () => {
		for (const face of [
			{ left: -0.1, top: -0.1, width: 0.3, height: 0.3 },
			{ left: 0.9, top: 0.9, width: 0.1, height: 0.1 },
			{ left: 0.5, top: 0.5, width: 0.0001, height: 0.0001 },
			{ left: 0, top: 0, width: 1, height: 1 },
		]) {
			expect((await look(noise, "fx=blur-faces&w=50", { every_face: [face] })).width).toBe(50);
		}
		expect(masterOf(noise, "png").format).toBe("png");
	});
});
