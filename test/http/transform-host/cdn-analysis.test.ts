import { beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { addApp, connectUser, countOf, firstApp } from "../../support/apps.ts";
import { corpus, corpusNote, withoutCorpus } from "../../support/corpus.ts";
import { corners, pixelAt, plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";

const RED = [255, 0, 0, 255];
const GREEN = [0, 255, 0, 255];
const WHITE = [255, 255, 255, 255];
const BLUE = [0, 0, 255, 255];

const service = serviceFor();
/** 100×100: red, green, blue and white quarters of 40 pixels a side, clockwise from the top left, in a grey border of 10. */
let bordered: Image;
/** 400×200, the same quarters without a border. */
let quarters: Image;
/** 10×10, black. */
let mark: Image;

beforeAll(async () => {
	const border = { top: 10, bottom: 10, left: 10, right: 10, background: "#808080" };
	bordered = await uploaded(
		service,
		(await sharp(await corners(80, 80))
			.extend(border)
			.png()
			.toBuffer()) as Buffer<ArrayBuffer>,
	);
	quarters = await uploaded(service, await corners(400, 200));
	mark = await uploaded(service, await plain(10, 10, "png", "#000000"));
});

async function bytesOf(image: Image, query: string): Promise<Buffer<ArrayBuffer>> {
	const response = await service.open(image.url + query);
	if (response.status !== 200) throw new Error(`${response.status} for ${query}`);
	return Buffer.from(await response.arrayBuffer());
}

async function extentOf(bytes: Uint8Array): Promise<string> {
	const { width, height } = await sharp(bytes).metadata();
	return `${width}x${height}`;
}

function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
	return sharp(bytes).removeAlpha().raw().toBuffer();
}

/** Four pixels near the corners, clockwise from the top left. */
async function cornersOf(bytes: Uint8Array): Promise<number[][]> {
	const { width, height } = await sharp(bytes).metadata();
	const [right, bottom] = [width - 2, height - 2];
	return Promise.all(
		[
			[1, 1],
			[right, 1],
			[right, bottom],
			[1, bottom],
		].map(([x = 0, y = 0]) => pixelAt(bytes, x, y)),
	);
}

/** What is known of an image: each kind, and when it was found. */
async function factsOf(image: Image): Promise<Record<string, number>> {
	const rows = await service.database.read(() =>
		service.database.queries.values<[string, number]>(
			// What an image is like is found from a queue of its own, whenever its turn comes.
			sql`SELECT kind, found_ms FROM image_facts WHERE kind <> 'likeness'
				AND blob_key = (SELECT blob_key FROM images WHERE id = ${image.id})`,
		),
	);
	return Object.fromEntries(rows);
}

/** What every image gets soon after its upload. */
const DESCRIPTION = ["thumbhash", "colour", "colours", "taken"];

async function described(image: Image): Promise<void> {
	const isMissing = (facts: Record<string, number>) => DESCRIPTION.some((kind) => !(kind in facts));
	for (let tries = 0; tries < 2_000 && isMissing(await factsOf(image)); tries++) await Bun.sleep(25);
	expect(Object.keys(await factsOf(image))).toEqual(expect.arrayContaining(DESCRIPTION));
}

describe("trim", () => {
	test("border cuts a uniform border of 10 px off 100×100, to the pixel; anything else is ignored [cdn.trim]", async () => {
		const trimmed = await bytesOf(bordered, "?trim=border");
		expect(await extentOf(trimmed)).toBe("80x80");
		expect(await cornersOf(trimmed)).toEqual([RED, GREEN, BLUE, WHITE]);
		expect(await pixelAt(trimmed, 0, 0)).toEqual(RED);
		expect(await pixelAt(trimmed, 79, 79)).toEqual(BLUE);
		expect(await extentOf(await bytesOf(bordered, "?trim=foo"))).toBe("100x100");
		expect(await extentOf(await bytesOf(quarters, "?trim=border"))).toBe("400x200");
	});

	test("comes before the size", async () => {
		const trimmed = await bytesOf(bordered, "?trim=border&w=40");
		expect(await extentOf(trimmed)).toBe("40x40");
		expect(await cornersOf(trimmed)).toEqual([RED, GREEN, BLUE, WHITE]);
	});
});

describe("gravity", () => {
	test("the side that it names is kept [cdn.gravity.values]", async () => {
		const cut = "?w=100&h=100&fit=cover&gravity=";
		expect(await cornersOf(await bytesOf(quarters, `${cut}left`))).toEqual([RED, RED, WHITE, WHITE]);
		expect(await cornersOf(await bytesOf(quarters, `${cut}right`))).toEqual([GREEN, GREEN, BLUE, BLUE]);
		const flat = "?w=400&h=80&fit=cover&gravity=";
		expect(await cornersOf(await bytesOf(quarters, `${flat}top`))).toEqual([RED, GREEN, GREEN, RED]);
		expect(await cornersOf(await bytesOf(quarters, `${flat}bottom`))).toEqual([WHITE, BLUE, BLUE, WHITE]);
		for (const gravity of ["auto", "face", "foo"]) {
			expect(await extentOf(await bytesOf(quarters, `${cut}${gravity}`))).toBe("100x100");
		}
	});

	test("is auto [cdn.gravity.default]", async () => {
		const [without, auto, unknown] = await Promise.all(
			["", "&gravity=auto", "&gravity=foo"].map((more) => bytesOf(quarters, `?w=60&h=100&fit=cover${more}`)),
		);
		expect(auto).toEqual(without as Buffer<ArrayBuffer>);
		expect(unknown).toEqual(without as Buffer<ArrayBuffer>);
	});
});

describe("tile", () => {
	test("an image of the same storage lies over the base, again and again [cdn.tile.same-workspace, cdn.tile.watermark]", async () => {
		const [without, tiled] = await Promise.all(
			["", `&tile=${mark.id}`].map((more) => bytesOf(quarters, `?w=200${more}`)),
		);
		if (!without || !tiled) throw new Error("a rendition is missing");
		expect(await extentOf(tiled)).toBe("200x100");
		expect((await pixelsOf(tiled)).equals(await pixelsOf(without))).toBe(false);
		const alone = await bytesOf(quarters, `?tile=${mark.id}`);
		expect(await extentOf(alone)).toBe("400x200");
	});

	test("one of another storage, or of none, changes nothing [cdn.tile.cross-ignored, cdn.tile.unknown-ignored]", async () => {
		const black = await plain(10, 10, "png", "#000000");
		const other = await uploaded(service, black, "a.png", {}, { key: (await addApp(service.database)).key });
		const user = await connectUser(service.database, await firstApp(service.database));
		const theirs = await uploaded(service, black, "a.png", {}, { headers: { "X-Svc-User": user.id } });
		const without = await service.open(`${quarters.url}?w=190`);
		const expected = Buffer.from(await without.arrayBuffer());
		for (const id of [other.id, theirs.id, "nope", "img_0000000000000000000000"]) {
			const response = await service.open(`${quarters.url}?w=190&tile=${id}`);
			expect([response.status, response.headers.get("ETag")]).toEqual([200, without.headers.get("ETag")]);
			expect(Buffer.from(await response.arrayBuffer())).toEqual(expected);
		}
	});

	test("a deleted one is gone from the next request on", async () => {
		const brief = await uploaded(service, await plain(10, 10, "png", "#000000"));
		const query = `?w=180&tile=${brief.id}`;
		const before = await bytesOf(quarters, query);
		expect((await send(service, "DELETE", `/v1/images/${brief.id}`)).ok).toBe(true);
		const after = await bytesOf(quarters, query);
		expect(after).not.toEqual(before);
		expect(after).toEqual(await bytesOf(quarters, "?w=180"));
	});
});

describe("facts", () => {
	test("are found once, and go with the image", async () => {
		const image = await uploaded(service, await corners(300, 300));
		await described(image);
		await Promise.all([50, 60, 70].map((w) => bytesOf(image, `?w=${w}&h=20&fit=cover`)));
		const found = await factsOf(image);
		expect(Object.keys(found).sort()).toEqual(["colour", "colours", "faces", "subject", "taken", "thumbhash"]);
		service.clock.advance(1_000);
		await bytesOf(image, "?w=80&h=20&fit=cover");
		await bytesOf(image, "?w=80&h=20&fit=cover&gravity=face");
		expect(await factsOf(image)).toEqual(found);
		await bytesOf(image, "?trim=border");
		expect(Object.keys(await factsOf(image)).sort()).toEqual([
			"colour",
			"colours",
			"content",
			"faces",
			"subject",
			"taken",
			"thumbhash",
		]);
		const ofOthers = sql`SELECT count(*) FROM image_facts
			WHERE blob_key NOT IN (SELECT blob_key FROM images WHERE id = ${image.id}) AND kind <> 'likeness'`;
		const before = await countOf(service.database, ofOthers);
		expect((await send(service, "DELETE", `/v1/images/${image.id}`)).ok).toBe(true);
		expect(await countOf(service.database, sql`SELECT count(*) FROM image_facts WHERE kind <> 'likeness'`)).toBe(
			before,
		);
	});

	test("the processes that find them start with the first picture and end with the service", async () => {
		const own = await openService();
		const image = await uploaded(own, await corners(60, 60));
		const before = childrenOf();
		expect((await own.open(`${image.url}?w=20&h=10&fit=cover`)).status).toBe(200);
		const started = childrenOf().filter((pid) => !before.includes(pid));
		expect(started).toHaveLength(1);
		await own.close();
		const left = () => childrenOf().filter((pid) => started.includes(pid));
		for (let tries = 0; tries < 2_000 && left().length > 0; tries++) await Bun.sleep(25);
		expect(left()).toEqual([]);
	});

	test("a segment_model that cannot be read keeps the service from starting, by name", async () => {
		await expect(openService({ SVC_TUNING: "segment_model=/nowhere/model.onnx" })).rejects.toThrow(
			/segment_model of SVC_TUNING cannot be used: \/nowhere\/model\.onnx/,
		);
	});
});

/** Of this process, those that find faces. */
function childrenOf(): string[] {
	const { stdout } = spawnSync("pgrep", ["-P", String(process.pid), "-f", "face-worker"]);
	return stdout.toString().split("\n").filter(Boolean);
}

describe.skipIf(withoutCorpus)(`a portrait${corpusNote}`, () => {
	/** The middle of the face, and half of what has to be in view of it, as shares of the sides. */
	const FACE = { x: 0.44, y: 0.24, reach: 0.07 };
	const portrait = madeBefore(async () => uploaded(service, await corpus("portrait_astronaut.png"), "portrait.png"));

	/** Where a strip of the portrait was cut from: the offset at which it differs least from the whole. */
	async function offsetOf(query: string, axis: "left" | "top"): Promise<number> {
		const strip = await bytesOf(portrait, query);
		const whole = await bytesOf(portrait, "?w=200");
		const { width = 0, height = 0 } = await sharp(strip).metadata();
		const pixels = await pixelsOf(strip);
		const differences: number[] = [];
		for (let offset = 0; offset <= 200 - Math.min(width, height); offset++) {
			const there = await sharp(whole)
				.extract({ left: 0, top: 0, width, height, [axis]: offset })
				.removeAlpha()
				.raw()
				.toBuffer();
			differences.push(there.reduce((sum, value, index) => sum + Math.abs(value - (pixels[index] ?? 0)), 0));
		}
		return differences.indexOf(Math.min(...differences));
	}

	test.each(["face", "auto"])("gravity=%s keeps the face in view [cdn.gravity.values]", async (gravity) => {
		const flat = await offsetOf(`?w=200&h=70&fit=cover&gravity=${gravity}`, "top");
		expect(flat).toBeLessThanOrEqual((FACE.y - FACE.reach) * 200);
		expect(flat + 70).toBeGreaterThanOrEqual((FACE.y + FACE.reach) * 200);
		const narrow = await offsetOf(`?w=70&h=200&fit=cover&gravity=${gravity}`, "left");
		expect(narrow).toBeLessThanOrEqual((FACE.x - FACE.reach) * 200);
		expect(narrow + 70).toBeGreaterThanOrEqual((FACE.x + FACE.reach) * 200);
	});

	test("segment=foreground clears the background and leaves the subject [cdn.segment.foreground, cdn.segment.pair-png]", async () => {
		const cutOut = await bytesOf(portrait, "?segment=foreground&format=png");
		expect(await extentOf(cutOut)).toBe("512x512");
		for (const [x, y] of [
			[0.03, 0.03],
			[0.9, 0.05],
		] as const)
			expect((await pixelAt(cutOut, Math.round(x * 512), Math.round(y * 512)))[3]).toBeLessThan(40);
		for (const [x, y] of [
			[FACE.x, FACE.y],
			[0.45, 0.7],
		] as const)
			expect((await pixelAt(cutOut, Math.round(x * 512), Math.round(y * 512)))[3]).toBeGreaterThan(215);
		const opaque = await bytesOf(portrait, "?segment=foreground&format=jpg");
		for (const channel of (await pixelAt(opaque, 15, 15)).slice(0, 3)) expect(channel).toBeGreaterThan(200);
	});

	test("its faces and subject are found once", async () => {
		await described(portrait);
		const found = await factsOf(portrait);
		service.clock.advance(1_000);
		await bytesOf(portrait, "?segment=foreground&w=99&h=33&fit=cover&gravity=face");
		await bytesOf(portrait, "?fx=blur-bg&w=98");
		expect(await factsOf(portrait)).toEqual(found);
		expect(Object.keys(found).sort()).toEqual(["colour", "colours", "faces", "subject", "taken", "thumbhash"]);
	});
});
