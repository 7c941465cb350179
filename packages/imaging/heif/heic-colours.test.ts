import { describe, expect, test } from "bun:test";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Pixel, pixelsOf, rendered } from "@svc/test/support/rendering";
import { avifWith, nclx } from "@svc/test/support/said-colours";
import { sharp } from "../sharp-settings.ts";
import { convertHeic } from "./heic.ts";

/** 64×64, each pixel 0.55, 0.45 and 0.35 of the most, and nothing said about colours: of 8 and of 10 bits a sample (made with libheif 1.15). */
const SQUARES = {
	8: "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAAHQAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmNDAQQIAAAAAAAAAAAAHvAA/P/6+gAADwMgAAEAF0ABDAH//wQIAAADAJw4AAADAAAeugJAIQABACtCAQEECAAAAwCcOAAAAwAAHpAEECCbLdSSU1zcCAgYEAAAAwAQAAADABCAIgABAAhEAcFyhgwCJAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwoKCgAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAAAlbWRhdAAAABkoAa8GuGOw3P7uj///UjvofcYCf+IjaD/A",
	10: "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUJtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFmAAEAAAAAAAAAHQAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGh2YzEAAAAAwmlwcnAAAACkaXBjbwAAAHhodmNDAQQIAAAAAAAAAAAAHvAA/P/6+gAADwMgAAEAF0ABDAH//wQIAAADAJw4AAADAAAeugJAIQABACtCAQEECAAAAwCcOAAAAwAAHpAEECCbLdSSU1zcCAgYEAAAAwAQAAADABCAIgABAAhEAcFyhgwCJAAAABRpc3BlAAAAAAAAAEAAAABAAAAAEHBpeGkAAAAAAwoKCgAAABZpcG1hAAAAAAAAAAEAAQOBAoMAAAAlbWRhdAAAABkoAa8GuGOw3P7uj///UjvofcYCf+IjaD/A",
};

async function converted(bits: 8 | 10, primaries: number, transfer: number) {
	await using dir = await mkdtempDisposable(join(tmpdir(), "svc-heic-"));
	const path = join(dir.path, "square");
	// The boxes of a HEIC are those of an AVIF.
	await writeFile(
		path,
		await avifWith(new Uint8Array(Buffer.from(SQUARES[bits], "base64")), nclx(primaries, transfer)),
	);
	const { bytes, format } = await convertHeic({ path, maxPixels: 5_000 });
	return { bytes: new Uint8Array(bytes), format, icc: (await sharp(bytes).metadata()).icc };
}

async function seen(bytes: Uint8Array<ArrayBuffer>): Promise<Pixel> {
	const { bytes: rendition } = await rendered(bytes, "w=32&format=png", "jpg", {});
	return (await pixelsOf(rendition)).at(16, 16);
}

function distance(one: Pixel, other: Pixel): number {
	return Math.max(...other.map((channel, index) => Math.abs(channel - (one[index] ?? 255))));
}

describe.each([8, 10] as const)("a HEIC of %i bits that gives its colours by numbers", (bits) => {
	test.each([
		["Display P3", 12, 13, [146, 114, 86]],
		["BT.2020 for screens", 9, 14, [157, 112, 83]],
		["gamma 2.8", 1, 5, [124, 93, 62]],
	] as const)("becomes a master with a profile that says the same: %s", async (_, primaries, transfer, expected) => {
		const { bytes, icc } = await converted(bits, primaries, transfer);
		expect(icc).toBeDefined();
		// The numbers are the file's own.
		const { data } = await sharp(bytes, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true });
		expect(distance([...data.subarray(0, 3)], [140, 115, 89])).toBeLessThanOrEqual(3);
		const pixel = await seen(bytes);
		expect([pixel, distance(pixel, expected) <= 4]).toEqual([pixel, true]);
	});

	test.each([
		["PQ", 16, [250, 121, 66]],
		["HLG", 18, [164, 119, 92]],
	] as const)(
		"of more light than a screen shows becomes what is shown of it, in Display P3: %s",
		async (_, transfer, expected) => {
			const { bytes, icc } = await converted(bits, 9, transfer);
			expect(icc).toBeDefined();
			const pixel = await seen(bytes);
			expect([pixel, distance(pixel, expected) <= 5]).toEqual([pixel, true]);
		},
	);

	test("has no profile where it says what sRGB is", async () => {
		expect((await converted(bits, 1, 13)).icc).toBeUndefined();
	});
});
