import { expect, test } from "bun:test";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { factStore } from "./facts-store.ts";
import { imageStore } from "./images-store.ts";
import type { Facts } from "./transform/facts.ts";

async function world() {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const image = await createImage(scratch.database, access, newImage(access, 1));
	return {
		scratch,
		access,
		image,
		facts: factStore(scratch.database, "one model"),
		images: imageStore(scratch.database),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

const REGION = { left: 0.1, top: 1 / 3, width: 0.25, height: 0.5 };
const SOME: Facts = {
	faces: [REGION, { left: 0, top: 0, width: 1, height: 1 }],
	focus: { x: 0.123, y: 1 },
	content: REGION,
	subject: { width: 3, height: 2, alpha: Uint8Array.of(0, 255, 128, 1, 254, 7) },
	thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
	colour: "#0a8bff",
};
const NONE: Facts = { ...SOME, faces: [], focus: { x: 0.5, y: 0.5 }, content: null, subject: null };
const KINDS = ["faces", "focus", "content", "subject", "thumbhash", "colour"] as const;

test("every kind comes back as it was saved, also as not there, and the latest counts", async () => {
	await using all = await world();
	const { facts, image } = all;
	for (const expected of [SOME, NONE, SOME]) {
		const found: Partial<Facts> = {};
		for (const kind of KINDS) {
			await facts.save(image.blobKey, kind, expected[kind], NOW);
			Object.assign(found, { [kind]: await facts.find(image.blobKey, kind) });
		}
		expect(found).toEqual(expected);
	}
	expect(await all.scratch.value("SELECT min(found_ms) FROM image_facts")).toBe(NOW);
});

test("what was not saved, or cannot be read, is undefined", async () => {
	await using all = await world();
	const { facts, image } = all;
	expect(await facts.find(image.blobKey, "faces")).toBeUndefined();
	await facts.save(image.blobKey, "faces", [], NOW);
	await facts.save(image.blobKey, "subject", SOME.subject, NOW);
	await all.scratch.sql("UPDATE image_facts SET value = x'010203'");
	expect(await facts.find(image.blobKey, "faces")).toBeUndefined();
	expect(await facts.find(image.blobKey, "subject")).toBeUndefined();
	expect(await facts.find("another", "faces")).toBeUndefined();
});

test("a subject that another model found is not known, and is found again; everything else is", async () => {
	await using all = await world();
	const { facts, image, scratch } = all;
	const successor = factStore(scratch.database, "another model");
	for (const subject of [SOME.subject, null]) {
		await facts.save(image.blobKey, "subject", subject, NOW);
		await facts.save(image.blobKey, "faces", SOME.faces, NOW);
		expect(await successor.find(image.blobKey, "subject")).toBeUndefined();
		expect(await successor.find(image.blobKey, "faces")).toEqual(SOME.faces);
		expect(await factStore(scratch.database, "one model").find(image.blobKey, "subject")).toEqual(subject);
	}
	await successor.save(image.blobKey, "subject", SOME.subject, NOW);
	expect(await facts.find(image.blobKey, "subject")).toBeUndefined();
});

test("facts go with their image, and come to none that has gone", async () => {
	await using all = await world();
	const { facts, images, image, access, scratch } = all;
	const other = await createImage(scratch.database, access, newImage(access, 2));
	await facts.save(image.blobKey, "faces", SOME.faces, NOW);
	await facts.save(image.blobKey, "subject", null, NOW);
	await facts.save(other.blobKey, "faces", [], NOW);
	expect(await images.delete(image, "key_1", NOW)).toBe(true);
	expect(await scratch.value("SELECT group_concat(blob_key) FROM image_facts")).toBe(other.blobKey);
	await facts.save(image.blobKey, "faces", SOME.faces, NOW);
	expect(await scratch.value("SELECT count(*) FROM image_facts")).toBe(1);
});

test("a fact changes nothing else: neither the image nor its revision", async () => {
	await using all = await world();
	const image = await all.images.find(all.access.storage.pk, all.image.id, NOW);
	await all.facts.save(all.image.blobKey, "faces", [], NOW);
	expect(await all.images.find(all.access.storage.pk, all.image.id, NOW)).toEqual(image);
});
