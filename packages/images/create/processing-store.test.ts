import { expect, test } from "bun:test";
import { jobStore } from "@svc/jobs/jobs-store";
import { digest, migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import type { Image } from "../images.ts";
import { imageStore } from "../images-store.ts";
import type { Processed } from "./processing-store.ts";
import { processingStore } from "./processing-store.ts";

const COUNTERS = `SELECT json_array(
	(SELECT images FROM storages), (SELECT bytes FROM storages),
	(SELECT images FROM app_usage), (SELECT bytes FROM app_usage), (SELECT uploads FROM monthly_usage))`;
const UNCHANGED: Processed = { format: "avif", width: 20, height: 10, master: undefined };
const JPEG = { blobKey: "img_1/jpeg", bytes: 1_700, sha256: digest(9) };

async function world(differences: Parameters<typeof newImage>[2] = {}) {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const images = imageStore(scratch.database, { listed: ["ready", "processing"] });
	const jobs = jobStore(scratch.database, "me");
	const processing = processingStore(scratch.database);
	const made = newImage(access, 1, { status: "processing", labels: { album: "a" }, ...differences });
	await images.claimBlob(made.blobKey, NOW);
	expect(await images.commitCreate(made, access)).toBeUndefined();
	const claimed = await jobs.claim("mine", NOW + 60_000, NOW);
	if (!claimed) throw new Error("no job came with the image");
	const image = await processing.find("img_1", NOW);
	if (!image) throw new Error("the image is not being processed");
	const now = () => images.find(access.storage.pk, "img_1", NOW);
	return { scratch, access, images, processing, claimed, image, now, lease: claimed.lease };
}

const blobsOf = (scratch: Awaited<ReturnType<typeof world>>["scratch"]) =>
	scratch.value("SELECT group_concat(blob_key || '=' || state, ' ') FROM (SELECT * FROM blobs ORDER BY blob_key)");

test("an image that is being processed comes with its job, in the same commit; another one with none", async () => {
	const { scratch, access, images, claimed } = await world();
	expect(claimed).toMatchObject({ kind: "image.process", payload: { imageId: "img_1" }, attempts: 1 });
	const ready = newImage(access, 2);
	await images.claimBlob(ready.blobKey, NOW);
	await images.commitCreate(ready, access);
	// Refused: its blob was never claimed.
	expect(await images.commitCreate(newImage(access, 3, { status: "processing" }), access)).toBe("fenced");
	expect(await scratch.value("SELECT count(*) FROM jobs")).toBe(1);
	await scratch[Symbol.asyncDispose]();
});

test("with the bytes that were sent it becomes ready as it has turned out, once", async () => {
	const { scratch, processing, image, now, lease } = await world();
	const before = await scratch.value(COUNTERS);
	expect(await processing.finish(lease, image, UNCHANGED, NOW)).toBeUndefined();
	const { format, width, height } = UNCHANGED;
	expect(await now()).toEqual({ ...image, status: "ready", format, width, height, revision: 2 });
	expect(await scratch.value(COUNTERS)).toBe(before as string);
	expect(await blobsOf(scratch)).toBe("img_1/nonce=live");
	expect(await scratch.value("SELECT count(*) FROM image_labels")).toBe(1);
	expect(await processing.find("img_1", NOW)).toBeUndefined();
	expect(await processing.finish(lease, image, UNCHANGED, NOW)).toBe("gone");
	expect(await processing.fail(lease, image, NOW)).toBe("gone");
	await scratch[Symbol.asyncDispose]();
});

test("with another master the counters tell of that one, and the one that was sent is trash", async () => {
	const { scratch, access, images, processing, image, now, lease } = await world();
	await images.claimBlob(JPEG.blobKey, NOW);
	const processed: Processed = { format: "jpg", width: 20, height: 10, master: JPEG };
	expect(await processing.finish(lease, image, processed, NOW)).toBeUndefined();
	expect(await now()).toMatchObject({ status: "ready", blobKey: JPEG.blobKey, bytes: 1_700 });
	expect(await scratch.value(COUNTERS)).toBe("[1,1700,1,1700,1]");
	expect(await blobsOf(scratch)).toBe("img_1/jpeg=live img_1/nonce=dead");
	await images.delete((await now()) as Image, access.caller.id, NOW);
	expect(await scratch.value(COUNTERS)).toBe("[0,0,0,0,1]");
	expect(await blobsOf(scratch)).toBe("img_1/jpeg=dead img_1/nonce=dead");
	await scratch[Symbol.asyncDispose]();
});

test("a master that the sweep has marked dead meanwhile changes nothing", async () => {
	const { scratch, images, processing, image, now, lease } = await world();
	await images.claimBlob(JPEG.blobKey, NOW);
	await images.markBlobDead(JPEG.blobKey, NOW);
	const before = await scratch.value(COUNTERS);
	const processed: Processed = { format: "jpg", width: 20, height: 10, master: JPEG };
	expect(await processing.finish(lease, image, processed, NOW)).toBe("fenced");
	expect(await now()).toEqual(image);
	expect(await scratch.value(COUNTERS)).toBe(before as string);
	await scratch[Symbol.asyncDispose]();
});

test("a failed image stays and counts, without labels, until it is deleted", async () => {
	const { scratch, access, images, processing, image, now, lease } = await world();
	const before = await scratch.value(COUNTERS);
	expect(await processing.fail(lease, image, NOW)).toBeUndefined();
	expect((await now())?.status).toBe("failed");
	expect(await scratch.value(COUNTERS)).toBe(before as string);
	expect(await scratch.value("SELECT count(*) FROM image_labels")).toBe(0);
	expect(await scratch.value("SELECT count(*) FROM audit WHERE event = 'image.failed' AND target = 'img_1'")).toBe(1);
	await images.delete((await now()) as Image, access.caller.id, NOW);
	expect(await scratch.value(COUNTERS)).toBe("[0,0,0,0,1]");
	await scratch[Symbol.asyncDispose]();
});

test("without the lease nothing is settled", async () => {
	const { scratch, processing, image, now, lease } = await world();
	const stale = { ...lease, claim: "somebody else's" };
	expect(await processing.finish(stale, image, UNCHANGED, NOW)).toBe("lost");
	expect(await processing.fail(stale, image, NOW)).toBe("lost");
	expect(await now()).toEqual(image);
	await scratch[Symbol.asyncDispose]();
});

test.each([
	["deleted", "DELETE FROM images", "gone"],
	["blocked", "UPDATE images SET status = 'blocked'", "gone"],
	["failed", "UPDATE images SET status = 'failed'", "gone"],
])("what was %s meanwhile is not there to be processed", async (_, change, refusal) => {
	const { scratch, processing, image, lease } = await world();
	await scratch.sql("DELETE FROM image_labels");
	await scratch.sql(change);
	expect(await processing.find("img_1", NOW)).toBeUndefined();
	expect(await processing.finish(lease, image, UNCHANGED, NOW)).toBe(refusal as "gone");
	await scratch[Symbol.asyncDispose]();
});

test("neither is what has expired, nor what its storage takes along", async () => {
	const { scratch, processing } = await world({ expiresMs: NOW + 10 });
	expect(await processing.find("img_1", NOW + 10)).toBeUndefined();
	await scratch.sql("UPDATE storages SET state = 'deleting'");
	expect(await processing.find("img_1", NOW)).toBeUndefined();
	await scratch[Symbol.asyncDispose]();
});

test("where lists show ready images only, an image is found by its labels once it is ready", async () => {
	const { scratch, access, processing } = await world();
	const images = imageStore(scratch.database);
	const made = newImage(access, 2, { status: "processing", labels: { only: "ready" } });
	await images.claimBlob(made.blobKey, NOW);
	await images.commitCreate(made, access);
	const query = { ids: undefined, labels: [{ key: "only", values: ["ready"] }], limit: 5, after: undefined };
	expect(await images.list(access.storage.pk, query, NOW)).toEqual([]);
	const job = await jobStore(scratch.database, "me").claim("second", NOW + 60_000, NOW);
	const image = await processing.find("img_2", NOW);
	if (!job || !image) throw new Error("there is nothing to process");
	await processing.finish(job.lease, image, UNCHANGED, NOW);
	expect((await images.list(access.storage.pk, query, NOW)).map(({ id }) => id)).toEqual(["img_2"]);
	await scratch[Symbol.asyncDispose]();
});
