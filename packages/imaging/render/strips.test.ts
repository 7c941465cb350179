import { expect, test } from "bun:test";
import { sharp } from "../sharp-settings.ts";
import { isSteady } from "./strips.ts";

const WIDTH = 8;

/** Rows of noise, as a file and as pixels. */
async function noiseOf(rows: number) {
	const pixels = Uint8Array.from({ length: WIDTH * rows * 3 }, (_, at) => (at * 7_919 + (at >> 5) * 131) % 256);
	const file = await sharp(pixels, { raw: { width: WIDTH, height: rows, channels: 3 } })
		.jpeg()
		.toBuffer();
	return { file, pixels: await sharp(file).raw().toBuffer() };
}

const resized = (image: ReturnType<typeof sharp>, rows: number) =>
	image.resize(WIDTH, rows, { fit: "fill" }).raw().toBuffer();

test("of a file and of its pixels the same rows are made, but at the few sizes that are named", async () => {
	const unsteady: string[] = [];
	for (const from of [757, 769, 1_000]) {
		const { file, pixels } = await noiseOf(from);
		for (let to = Math.ceil(from / 2.99); to <= from; to++) {
			const ofPixels = sharp(pixels, { raw: { width: WIDTH, height: from, channels: 3 } });
			const isSame = (await resized(sharp(file), to)).equals(await resized(ofPixels, to));
			expect([from, to, isSteady(from, to)]).toEqual([from, to, isSame]);
			if (!isSame) unsteady.push(`${from} to ${to}`);
		}
	}
	expect(unsteady.length).toBeGreaterThan(0);
	expect(unsteady.length).toBeLessThan(20);
});
