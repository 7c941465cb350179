import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { s3Backups } from "@svc/storage/s3/backups";
import { LeaseTaken, takeLease } from "@svc/storage/s3/lease";
import { type S3Requests, s3Requests } from "@svc/storage/s3/requests";
import { s3Blobs } from "@svc/storage/s3/s3";
import { noise } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type S3Server, s3ServerNote, startS3Server, withoutS3Server } from "../support/s3-server.ts";
import { openService } from "../support/service.ts";
import { blobStoreContract } from "./blob-store.ts";
import { from, someBytes } from "./bytes.ts";

/* A store that somebody else wrote: what the fake of the other files takes for granted is true there as well. */

const log = { warn: () => undefined, error: () => undefined };
const PACE = { tries: 3, answerMs: 10_000, wholeMs: 30_000, bytesPerMs: 100_000, waitMs: 50 };
const scratch = () => mkdtemp(join(tmpdir(), "svc-real-bucket-"));

if (!withoutS3Server) {
	blobStoreContract("a real S3 server", async () => {
		const [dir, server] = [await scratch(), await startS3Server()];
		return {
			store: s3Blobs({ ...server.bucket, dir, log }),
			close: async () => {
				await server[Symbol.asyncDispose]();
				await rm(dir, { recursive: true });
			},
		};
	});
}

describe.skipIf(withoutS3Server)(`on a real S3 server${s3ServerNote}`, () => {
	let server: S3Server;
	let dir: string;
	let requests: S3Requests;
	beforeAll(async () => {
		[server, dir] = [await startS3Server(), await scratch()];
		requests = s3Requests(server.bucket, PACE, log);
	});
	afterAll(async () => {
		await server[Symbol.asyncDispose]();
		await rm(dir, { recursive: true });
	});

	test("one of many who take the lease at once holds it, and the next when it is released", async () => {
		const holder = (place: number) => ({ token: `t${place}`, installation: `ins_${place}`, together: false });
		const settled = await Promise.allSettled(
			Array.from({ length: 12 }, (_, place) => takeLease(requests, holder(place))),
		);
		const taken = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
		expect(taken).toHaveLength(1);
		for (const one of settled) if (one.status === "rejected") expect(one.reason).toBeInstanceOf(LeaseTaken);
		await taken[0]?.renew();
		await taken[0]?.release();
		await (await takeLease(requests, holder(99))).release();
	});

	test("a backup is made, named, read back and removed", async () => {
		const store = s3Blobs({ ...server.bucket, dir, log });
		const bytes = someBytes(70_000);
		const expected = { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
		await store.put("img_1/n", await store.stage(from([bytes]), bytes.length));
		const parts = { path: "svc", dir: join(dir, "backups"), freeFloorBytes: 0, log, pace: PACE };
		const place = s3Backups({ ...server.bucket, ...parts, installation: async () => `ins_${"o".repeat(22)}` });
		const backup = await place.open("b1");
		await writeFile(backup.databasePath, "a database");
		await backup.keep("img_1/n", await store.find("img_1/n"), expected);
		await backup.seal({ version: "1.2.3", migration: "0007_x", madeMs: 0, images: 1, damaged: 0 });
		expect(await place.list()).toEqual(["b1"]);
		const copy = await Array.fromAsync((await place.findCopy("img_1/n", expected)) ?? []);
		expect(Buffer.concat(copy).equals(bytes)).toBe(true);
		await place.remove("b1");
		expect(await place.list()).toEqual([]);
	});

	test("the service keeps a picture, shows it and its renditions, and takes it away", async () => {
		await using own = await startS3Server();
		const service = await openService(own.env);
		const { id, url } = await uploaded(service, await noise(600, 400), "a.jpg");
		for (const query of ["", "?w=100&format=webp"]) {
			const shown = await service.open(url + query);
			await shown.arrayBuffer();
			expect([shown.status, query]).toEqual([200, query]);
		}
		expect((await send(service, "DELETE", `/v1/images/${id}`)).status).toBe(200);
		expect((await service.open(url)).status).toBe(404);
		await service.close();
	});
});
