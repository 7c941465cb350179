import { describe, expect, test } from "bun:test";
import { BLUE, bytesOf, corners, drawn, GREEN, pixelsOf, RED, rendered, WHITE } from "@svc/test/support/rendering";
import { sharp } from "../sharp-settings.ts";

const COLOURS = [RED, GREEN, BLUE];

/** Three frames of 40×20, each one colour with a white lower half of its right edge. */
const frames = drawn(40, 60, (x, y) => (x >= 30 && y % 20 >= 10 ? WHITE : (COLOURS[Math.floor(y / 20)] ?? WHITE)));
const options = { delay: [100, 200, 300], loop: 2 };
const { data, info } = await frames.raw().toBuffer({ resolveWithObject: true });
const rolled = () => sharp(data, { raw: { width: info.width, height: info.height, channels: 3, pageHeight: 20 } });
const masters = {
	gif: await bytesOf(rolled().gif(options)),
	webp: await bytesOf(rolled().webp({ ...options, lossless: true })),
};

type Kind = keyof typeof masters;

async function frameOf(kind: Kind, query: string, page: number) {
	return await pixelsOf((await rendered(masters[kind], query, kind)).bytes, page);
}

describe.each(["gif", "webp"] as const)("an animated %s", (kind) => {
	test("keeps frames, delays and loop, also as the other format", async () => {
		for (const query of ["w=20", "format=gif&w=20", "format=webp&w=20", "w=20&blur=1", "w=20&rotate=90"]) {
			const metadata = await sharp((await rendered(masters[kind], query, kind)).bytes).metadata();
			expect([query, metadata.pages, metadata.delay, metadata.loop]).toEqual([query, 3, [100, 200, 300], 2]);
		}
	});

	test.each([
		["without end", 0],
		["as often as can be said", 65_535],
	])("shown %s stays so in every rendition, also as the other format", async (_, said) => {
		const master = withLoops(kind, said);
		for (const query of ["w=20", "format=gif&w=20", "format=webp&w=20", "size=s", "w=20&blur=1", "w=20&rotate=90"]) {
			expect([query, loopsOf((await rendered(master, query, kind)).bytes)]).toEqual([query, said]);
		}
	});

	test("keeps all frames however short or long each is shown, the longest for as long as an encoder can say", async () => {
		const most = { gif: 655_350, webp: 16_777_215 }[kind];
		const master = withTimes(kind, [0, most, 65_540]);
		expect((await sharp(master).metadata()).delay).toEqual([0, most, 65_540]);
		for (const query of ["w=20", "format=gif&w=20", "format=webp&w=20", "size=s", "w=20&blur=1", "q=auto&w=20"]) {
			const { pages, delay = [] } = await sharp((await rendered(master, query, kind)).bytes).metadata();
			expect([query, pages, delay.slice(1).every((ms) => ms >= 65_535 && ms <= 65_540)]).toEqual([query, 3, true]);
			// Shown for no time at all, a frame of a WebP is shown for as long as browsers do it.
			expect([query, [0, 100].includes(delay[0] ?? -1)]).toEqual([query, true]);
		}
		for (const query of ["format=jpg", "frame=1", "format=png&frame=2"]) {
			expect((await sharp((await rendered(master, query, kind)).bytes).metadata()).pages ?? 1).toBe(1);
		}
	});

	test("shows its first frame as a still", async () => {
		for (const format of ["jpg", "png", "avif"]) {
			const { bytes } = await rendered(masters[kind], `format=${format}`, kind);
			expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1);
			const [r = 0, g = 255, b = 255] = (await pixelsOf(bytes)).at(5, 5);
			expect([r > 230, g < 30, b < 30]).toEqual([true, true, true]);
		}
	});

	test("turns every frame alone and in place", async () => {
		for (const [page, colour] of COLOURS.entries()) {
			const flipped = await frameOf(kind, "flip=h", page);
			expect([flipped.width, flipped.height]).toEqual([40, 20]);
			expect(similar(corners(flipped), [colour, colour, colour, WHITE])).toBe(true);
			const rotated = await frameOf(kind, "rotate=90", page);
			expect([rotated.width, rotated.height]).toEqual([20, 40]);
			expect(similar(corners(rotated), [colour, colour, colour, WHITE])).toBe(true);
		}
	});

	test("is blurred without bleeding between frames", async () => {
		for (const [page, colour] of COLOURS.entries()) {
			const soft = await frameOf(kind, "blur=4", page);
			expect(similar([soft.at(5, 0), soft.at(5, 19)], [colour, colour])).toBe(true);
		}
	});

	test("is cut and padded frame by frame, turned or not", async () => {
		for (const [page, colour] of COLOURS.entries()) {
			const cut = await frameOf(kind, "w=10&h=20&fit=cover&gravity=right", page);
			expect(similar([cut.at(5, 3), cut.at(5, 16)], [colour, WHITE])).toBe(true);
			const turned = await frameOf(kind, "rotate=90&w=20&h=10&fit=cover&gravity=bottom", page);
			expect(similar([turned.at(3, 5), turned.at(16, 5)], [WHITE, colour])).toBe(true);
			for (const query of ["w=40&h=40&fit=pad&background=black", "w=40&h=40&fit=pad&background=black&gamma=1.001"]) {
				const boxed = await frameOf(kind, query, page);
				expect([boxed.width, boxed.height]).toEqual([40, 40]);
				expect(similar([boxed.at(5, 3), boxed.at(5, 15), boxed.at(5, 37)], [[0, 0, 0], colour, [0, 0, 0]])).toBe(true);
			}
		}
	});

	test("takes tones on every frame", async () => {
		for (const page of [0, 1, 2]) {
			expect(similar([(await frameOf(kind, "brightness=0", page)).at(5, 5)], [[0, 0, 0]])).toBe(true);
		}
	});

	test("bars stay transparent in every frame, and a translucent ground fills them", async () => {
		for (const page of [0, 2]) {
			expect((await frameOf(kind, "w=40&h=40&fit=pad", page)).at(5, 3)[3]).toBe(0);
			const tinted = await frameOf(kind, "w=40&h=40&fit=pad&format=webp&background=rgba(0,0,0,0.5)", page);
			expect(Math.abs((tinted.at(5, 3)[3] ?? 0) - 128)).toBeLessThan(4);
		}
	});
});

/** The count as it stands in the file. */
function loopsOf(file: Uint8Array): number {
	const { view, at } = loopsIn(file);
	return view.getUint16(at, true);
}

function withLoops(kind: Kind, count: number): Uint8Array<ArrayBuffer> {
	const file = Uint8Array.from(masters[kind]);
	const { view, at } = loopsIn(file);
	view.setUint16(at, count, true);
	return file;
}

/** Each frame is said to be shown for so many milliseconds. */
function withTimes(kind: Kind, milliseconds: readonly number[]): Uint8Array<ArrayBuffer> {
	const file = Buffer.from(masters[kind]);
	const mark = kind === "gif" ? Buffer.of(0x21, 0xf9, 4) : Buffer.from("ANMF");
	let at = -1;
	for (const ms of milliseconds) {
		at = file.indexOf(mark, at + 1);
		if (kind === "gif") file.writeUInt16LE(ms / 10, at + 4);
		else file.writeUIntLE(ms, at + 8 + 12, 3);
	}
	return Uint8Array.from(file);
}

function loopsIn(file: Uint8Array): { readonly view: DataView; readonly at: number } {
	const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
	const [gif, webp] = [bytes.indexOf("NETSCAPE2.0"), bytes.indexOf("ANIM")];
	return { view: new DataView(file.buffer, file.byteOffset, file.length), at: gif < 0 ? webp + 12 : gif + 13 };
}

/** Lossy formats and palettes move colours a little. */
function similar(found: readonly (readonly number[])[], expected: readonly (readonly number[])[]): boolean {
	return expected.every((pixel, index) =>
		pixel.every((value, channel) => Math.abs(value - (found[index]?.[channel] ?? 999)) < 40),
	);
}
