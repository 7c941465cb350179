import { expect, test } from "bun:test";
import { newJob } from "@svc/jobs/jobs";
import { jobStore } from "@svc/jobs/jobs-store";
import { createImage, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { erasureStore } from "./erasure-store.ts";

const LEASE = { claim: "mine" };

async function scratchWithJob() {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const image = await createImage(scratch.database, access, newImage(access, 1));
	const jobs = jobStore(scratch.database, "me");
	const { id } = await jobs.enqueue(newJob("storage.empty", { storageId: access.storage.id }), {
		actor: "acc_1",
		requestId: null,
		nowMs: NOW,
	});
	await jobs.claim(LEASE.claim, NOW + 60_000, NOW);
	return { scratch, access, image, lease: { ...LEASE, jobId: id }, erasure: erasureStore(scratch.database) };
}

test("a storage that is in use is neither found, nor emptied, nor removed", async () => {
	const { scratch, access, image, lease, erasure } = await scratchWithJob();
	const { id } = access.storage;
	expect(await erasure.findStorage(id)).toBeUndefined();
	expect(await erasure.listImages(id, 10)).toEqual([]);
	expect(await erasure.deleteImages(lease, id, [image], NOW)).toBe("gone");
	expect(await erasure.dropStorage(lease, id, NOW)).toBeUndefined();
	expect(await scratch.value("SELECT count(*) FROM images")).toBe(1);
	expect(await scratch.value("SELECT count(*) FROM storages")).toBe(1);
	expect(await scratch.value("SELECT count(*) FROM keys")).toBe(1);
	await scratch[Symbol.asyncDispose]();
});

test("without the lease nothing is deleted, and the progress stays", async () => {
	const { scratch, access, image, lease, erasure } = await scratchWithJob();
	await scratch.sql("UPDATE storages SET state = 'deleting'");
	const stale = { ...lease, claim: "somebody else's" };
	const { id } = access.storage;
	expect([
		await erasure.deleteImages(stale, id, [image], NOW),
		await erasure.dropStorage(stale, id, NOW),
		await erasure.closeAccount(stale, "acc_1", NOW),
		await erasure.forgetAccount(stale, "acc_1", NOW),
		await erasure.closeApp(stale, "app_1", NOW),
		await erasure.forgetApp(stale, "app_1", NOW),
	]).toEqual(["lost", "lost", "lost", "lost", "lost", "lost"]);
	expect(await scratch.value("SELECT count(*) FROM images")).toBe(1);
	expect(await scratch.value("SELECT status FROM accounts")).toBe("active");
	expect(await scratch.value("SELECT done FROM jobs")).toBe(0);
	expect(await erasure.deleteImages(lease, id, [image], NOW)).toBeUndefined();
	expect(await erasure.deleteImages(lease, id, [image], NOW)).toBe("gone");
	expect(await scratch.value("SELECT done FROM jobs")).toBe(1);
	await scratch[Symbol.asyncDispose]();
});

test("nobody is forgotten who still owns an App, and nothing that still has a storage", async () => {
	const { scratch, lease, erasure } = await scratchWithJob();
	expect(await erasure.forgetAccount(lease, "acc_1", NOW)).toBe("owner");
	expect(await erasure.forgetApp(lease, "app_1", NOW)).toBe("busy");
	await scratch.sql("UPDATE apps SET deleting_ms = 1");
	await scratch.sql("UPDATE storages SET account_pk = 1");
	expect(await erasure.forgetAccount(lease, "acc_1", NOW)).toBe("busy");
	expect(await scratch.value("SELECT count(*) FROM members")).toBe(1);
	expect(await scratch.value("SELECT email FROM accounts")).toBe("Owner@Example.com");
	expect(await scratch.value("SELECT name <> id FROM apps")).toBe(1);
	await scratch[Symbol.asyncDispose]();
});
