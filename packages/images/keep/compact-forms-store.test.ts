import { expect, test } from "bun:test";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { imageStore } from "../images-store.ts";
import { COMPACT_MAX } from "../transform/compact.ts";

async function served() {
	const { database } = await migratedDatabase();
	const access = await seedApp(database);
	const image = await createImage(database, access, newImage(access, 1));
	const store = imageStore(database);
	const note = (form: string) => store.noteCompact(image.blobKey, form, NOW);
	const noted = async () => (await store.findAddressed(image.teamHash, image.id, NOW))?.compact;
	return { note, noted, store };
}

test("forms of a picture that are asked for often are found with it, each once, and so many at most", async () => {
	const { note, noted } = await served();
	expect(await noted()).toBeUndefined();
	for (const form of ["one", "two", "one"]) await note(form);
	expect(await noted()).toEqual(["one", "two"]);
	for (let place = 0; place < COMPACT_MAX; place++) await note(`form ${place}`);
	expect(await noted()).toHaveLength(COMPACT_MAX);
});

test("of an image that is not there nothing is noted", async () => {
	const { store, noted } = await served();
	await store.noteCompact("img_gone/nonce", "one", NOW);
	expect(await noted()).toBeUndefined();
});
