import { expect, test } from "bun:test";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
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
	const store = imageStore({ ...scratch.database, version: undefined });
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
