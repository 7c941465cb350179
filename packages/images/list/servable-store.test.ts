import { expect, test } from "bun:test";
import { hashSecret } from "@svc/base/crypto/secrets";
import { keyStore } from "@svc/keys/keys-store";
import { addApp } from "@svc/test/support/apps";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import { analysisStore } from "../analysis-store.ts";
import { imageStore } from "../images-store.ts";

async function served() {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const image = await createImage(scratch.database, access, newImage(access, 1, { expiresMs: NOW + 1_000 }));
	const store = imageStore(scratch.database);
	const find = (nowMs = NOW) => store.findServable(image.teamHash, image.id, nowMs);
	return { scratch, image, store, find };
}

test("the same image is found again, until it expires", async () => {
	const { scratch, image, find } = await served();
	expect((await find())?.id).toBe(image.id);
	expect(await find()).toBe((await find()) as never);
	expect(await find(NOW + 1_000)).toBeUndefined();
	await scratch[Symbol.asyncDispose]();
});

test("so is an image of a storage, until it expires, is changed, or its storage goes", async () => {
	const { scratch, image, store } = await served();
	const find = (nowMs = NOW) => store.find(image.storagePk, image.id, nowMs);
	expect(await find()).toBe((await find()) as never);
	expect(await find(NOW + 1_000)).toBeUndefined();
	expect(await store.find(image.storagePk + 1, image.id, NOW)).toBeUndefined();
	await scratch.sql("UPDATE images SET caption = 'Another'");
	expect((await find())?.caption).toBe("Another");
	await scratch.sql("UPDATE storages SET state = 'deleting'");
	expect(await find()).toBeUndefined();
	await scratch[Symbol.asyncDispose]();
});

test.each([
	["a block", sql`UPDATE images SET status = 'blocked', block_reason = 'spam'`],
	["a storage that goes", sql`UPDATE storages SET state = 'deleting'`],
])("%s is seen at the next look-up", async (_, change) => {
	const { scratch, find } = await served();
	expect(await find()).toBeDefined();
	await scratch.database.write([{ run: change }]);
	expect(await find()).toBeUndefined();
	await scratch[Symbol.asyncDispose]();
});

test("so is a delete, whatever look-ups are under way meanwhile", async () => {
	const { scratch, image, store, find } = await served();
	const during: Promise<unknown>[] = [];
	const deleting = store.delete(image, "key_test", NOW);
	for (let n = 0; n < 50; n++) {
		during.push(find());
		await Promise.resolve();
	}
	await deleting;
	expect(await find()).toBeUndefined();
	await Promise.all(during);
	expect(await find()).toBeUndefined();
	await scratch[Symbol.asyncDispose]();
});

test("a change that is refused changes nothing", async () => {
	const { scratch, find } = await served();
	expect(await find()).toBeDefined();
	await scratch.database.write([{ run: sql`UPDATE images SET status = 'blocked' WHERE id = 'none'`, guard: "none" }]);
	expect(await find()).toBeDefined();
	await scratch[Symbol.asyncDispose]();
});

test.each([
	["a block", "UPDATE images SET status = 'blocked', block_reason = 'spam'"],
	["a delete", "DELETE FROM images"],
	["a shorter life", `UPDATE images SET expires_ms = ${NOW}`],
])("where several processes serve one database, %s in another one is seen at the next look-up", async (_, change) => {
	const { scratch, image } = await served();
	// As on a server: nobody knows of all changes, so nothing tells that there were none.
	const store = imageStore({ ...scratch.database, changes: undefined });
	const find = () => store.findServable(image.teamHash, image.id, NOW);
	expect((await find())?.id).toBe(image.id);
	const program = `import { createClient } from "@libsql/client";
		await createClient({ url: ${JSON.stringify(scratch.url)} }).execute(${JSON.stringify(change)});`;
	const other = Bun.spawn([process.execPath, "-e", program], { cwd: import.meta.dir, stderr: "pipe" });
	expect([await new Response(other.stderr).text(), await other.exited]).toEqual(["", 0]);
	expect(await find()).toBeUndefined();
	await scratch[Symbol.asyncDispose]();
});

test.each([
	["a policy", "UPDATE apps SET delivery = 'signed'"],
	["a preset", "UPDATE apps SET delivery_version = delivery_version + 1"],
])(
	"what an App answers is found with the image, and where there is none: %s is seen at the next look-up",
	async (_, change) => {
		const { scratch, image, store } = await served();
		const addressed = (id: string, teamHash = image.teamHash) => store.findAddressed(teamHash, id, NOW);
		const before = await addressed(image.id);
		expect(before).toMatchObject({ image: { id: image.id }, app: { policy: "open", rulesVersion: 0 } });
		expect(await addressed("img_none")).toEqual({ image: undefined, app: before?.app as never });
		await scratch.sql(change);
		const after = await addressed(image.id);
		expect(after?.app).not.toEqual(before?.app as never);
		expect(await addressed("img_none")).toEqual({ image: undefined, app: after?.app as never });
		expect(await addressed(image.id, "none")).toBeUndefined();
		await scratch[Symbol.asyncDispose]();
	},
);

/** An image that is kept, and one of another App. */
async function apart() {
	const all = await served();
	const { database } = all.scratch;
	const { key } = await addApp(database);
	const caller = await keyStore(database).find(await hashSecret(key));
	if (!caller) throw new Error("The key of the other App is not there.");
	const theirs = { caller, app: caller.app, storage: caller.storage };
	return { ...all, theirs, other: await createImage(database, theirs, newImage(theirs, 2)) };
}

type Apart = Awaited<ReturnType<typeof apart>>;

/** Whether what is kept of the image, and of an answer that shows it, still holds after `work`. */
async function isHeldAfter(work: (all: Apart) => Promise<unknown>): Promise<boolean> {
	const all = await apart();
	const { scratch, store, image, find } = all;
	const at = store.changes?.now() ?? 0;
	const kept = await find();
	const reads = store.changes?.readsOf([image]) ?? [];
	await work(all);
	const isHeld = (await find()) === kept;
	expect(store.changes?.isAsRead(reads, at)).toBe(isHeld);
	await scratch[Symbol.asyncDispose]();
	return isHeld;
}

const labelled = (store: Apart["store"], { storagePk, id }: Apart["image"]) =>
	store.update({ storagePk, id }, (one) => ({ ...one, labels: { a: "1" } }), "key_9", NOW);

test.each<[string, (all: Apart) => Promise<unknown>]>([
	["labels of another App's image", ({ store, other }) => labelled(store, other)],
	["an upload to another App", ({ scratch, theirs }) => createImage(scratch.database, theirs, newImage(theirs, 3))],
	[
		"what is found out about another picture",
		({ scratch, other }) => analysisStore(scratch.database, "").save(other.blobKey, { faces: [] }, NOW),
	],
	[
		"an audit entry",
		({ scratch: { sql: run } }) => run("INSERT INTO audit (at_ms, actor, event) VALUES (1, 'a', 'b')"),
	],
	[
		"the last use of a key",
		async ({ scratch, theirs }) => {
			const keys = keyStore(scratch.database);
			keys.touch(theirs.caller.pk, NOW);
			await keys.flush();
		},
	],
])("an image that was found is not looked up again after %s", async (_, work) => {
	expect(await isHeldAfter(work)).toBe(true);
});

test.each<[string, (all: Apart) => Promise<unknown>]>([
	["its labels", ({ store, image }) => labelled(store, image)],
	["its delete", ({ store, image }) => store.delete(image, "key_9", NOW)],
	[
		"an upload to its storage",
		({ scratch, image }) => scratch.sql(`UPDATE storages SET images = 9 WHERE pk = ${image.storagePk}`),
	],
	["its App's policy", ({ scratch }) => scratch.sql("UPDATE apps SET delivery = 'signed' WHERE pk = 1")],
	[
		"what is found out about its picture",
		({ scratch, image }) => analysisStore(scratch.database, "").save(image.blobKey, { faces: [] }, NOW),
	],
	["a block by an operator", ({ scratch }) => scratch.sql("UPDATE images SET status = 'blocked' WHERE id = 'img_1'")],
])("and is looked up again after %s", async (_, work) => {
	expect(await isHeldAfter(work)).toBe(false);
});
