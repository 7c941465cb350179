import { expect, test } from "bun:test";
import { ANALYSIS_KINDS } from "@svc/base/enumerations";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { analysisStore, decodeMask, encodeMask } from "./analysis-store.ts";
import { imageStore } from "./images-store.ts";
import type { Analysis } from "./transform/analysis.ts";
import { MENDS } from "./transform/mends.ts";

async function world() {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const image = await createImage(scratch.database, access, newImage(access, 1));
	return {
		scratch,
		access,
		image,
		analysis: analysisStore(scratch.database, "one model"),
		images: imageStore(scratch.database),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

const REGION = { left: 0.1, top: 1 / 3, width: 0.25, height: 0.5 };
const SOME: Analysis = {
	faces: [REGION, { left: 0, top: 0, width: 1, height: 1 }],
	focus: { x: 0.123, y: 1 },
	content: REGION,
	subject: { width: 3, height: 2, alpha: Uint8Array.of(0, 255, 128, 1, 254, 7) },
	thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
	colour: "#0a8bff",
	colours: ["#0a8bff", "#ffffff"],
	taken: 1_700_000_000_000,
	header: { frames: 12, alpha: true },
	every_face: [REGION],
	mends: { upTo: MENDS.length, has: ["premultiplied"] },
	likeness: Uint8Array.from({ length: 1_024 }, (_, place) => place % 256),
	pixels: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};
const NONE: Analysis = {
	...SOME,
	faces: [],
	focus: { x: 0.5, y: 0.5 },
	content: null,
	subject: null,
	colours: [],
	taken: null,
	likeness: null,
	pixels: null,
};

test("every kind comes back as it was saved, also as not there, and the latest counts", async () => {
	await using all = await world();
	const { analysis, image } = all;
	for (const expected of [SOME, NONE, SOME]) {
		const found: Partial<Analysis> = {};
		for (const kind of ANALYSIS_KINDS) {
			await analysis.save(image.blobKey, { [kind]: expected[kind] }, NOW);
			Object.assign(found, { [kind]: await analysis.find(image.blobKey, kind) });
		}
		expect(found).toEqual(expected);
	}
	expect(await all.scratch.value("SELECT min(found_ms) FROM image_facts")).toBe(NOW);
});

test("what was not saved, or cannot be read, is undefined", async () => {
	await using all = await world();
	const { analysis, image } = all;
	expect(await analysis.find(image.blobKey, "faces")).toBeUndefined();
	await analysis.save(image.blobKey, { faces: [] }, NOW);
	await analysis.save(image.blobKey, { subject: SOME.subject }, NOW);
	await all.scratch.sql("UPDATE image_facts SET value = x'010203'");
	expect(await analysis.find(image.blobKey, "faces")).toBeUndefined();
	expect(await analysis.find(image.blobKey, "subject")).toBeUndefined();
	expect(await analysis.find("another", "faces")).toBeUndefined();
});

test("a subject that another model found is not known, and is found again; everything else is", async () => {
	await using all = await world();
	const { analysis, image, scratch } = all;
	const successor = analysisStore(scratch.database, "another model");
	for (const subject of [SOME.subject, null]) {
		await analysis.save(image.blobKey, { subject }, NOW);
		await analysis.save(image.blobKey, { faces: SOME.faces }, NOW);
		expect(await successor.find(image.blobKey, "subject")).toBeUndefined();
		expect(await successor.find(image.blobKey, "faces")).toEqual(SOME.faces);
		expect(await analysisStore(scratch.database, "one model").find(image.blobKey, "subject")).toEqual(subject);
	}
	await successor.save(image.blobKey, { subject: SOME.subject }, NOW);
	expect(await analysis.find(image.blobKey, "subject")).toBeUndefined();
});

test("facts go with their image, and come to none that has gone", async () => {
	await using all = await world();
	const { analysis, images, image, access, scratch } = all;
	const other = await createImage(scratch.database, access, newImage(access, 2));
	await analysis.save(image.blobKey, { faces: SOME.faces }, NOW);
	await analysis.save(image.blobKey, { subject: null }, NOW);
	await analysis.save(other.blobKey, { faces: [] }, NOW);
	expect(await images.delete(image, "key_1", NOW)).toBe(true);
	expect(await scratch.value("SELECT group_concat(blob_key) FROM image_facts")).toBe(other.blobKey);
	await analysis.save(image.blobKey, { faces: SOME.faces }, NOW);
	expect(await scratch.value("SELECT count(*) FROM image_facts")).toBe(1);
});

test("a fact changes nothing else: neither the image nor its revision", async () => {
	await using all = await world();
	const image = await all.images.find(all.access.storage.pk, all.image.id, NOW);
	await all.analysis.save(all.image.blobKey, { faces: [] }, NOW);
	expect(await all.images.find(all.access.storage.pk, all.image.id, NOW)).toEqual(image);
});

const noise = Uint8Array.from({ length: 640 * 480 }, (_, index) => (index * 2_654_435_761) >>> 24);

test("any mask comes back as it was", () => {
	for (const mask of [
		{ width: 1, height: 1, alpha: Uint8Array.of(255) },
		{ width: 3, height: 2, alpha: Uint8Array.of(0, 255, 128, 1, 254, 7) },
		{ width: 640, height: 480, alpha: noise },
		{ width: 640, height: 640, alpha: new Uint8Array(640 * 640) },
	])
		expect(decodeMask(encodeMask(mask))).toEqual(mask);
});

test("a mask with soft edges takes a few thousand bytes", () => {
	const alpha = Uint8Array.from({ length: 640 * 480 }, (_, index) => {
		const distance = Math.hypot((index % 640) - 320, Math.floor(index / 640) - 240);
		return Math.min(255, Math.max(0, (180 - distance) * 32));
	});
	expect(encodeMask({ width: 640, height: 480, alpha }).length).toBeLessThan(10_000);
});

test("bytes that are no whole mask are refused, also those that would unpack to more than they say", () => {
	const whole = encodeMask({ width: 640, height: 480, alpha: noise });
	const larger = whole.slice();
	larger.set([0, 10, 0, 10], 1);
	const huge = whole.slice();
	huge.set([255, 255, 255, 255], 1);
	for (const bytes of [new Uint8Array(), whole.subarray(0, 4), whole.subarray(0, 900), larger, huge, noise])
		expect(() => decodeMask(bytes)).toThrow(RangeError);
});
