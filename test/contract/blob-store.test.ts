import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileBlobs } from "@svc/storage/files";
import { s3Blobs } from "@svc/storage/s3/s3";
import { fakeS3 } from "../support/s3.ts";
import { blobStoreContract } from "./blob-store.ts";

blobStoreContract("files", async () => {
	const dir = await mkdtemp(join(tmpdir(), "svc-blobs-"));
	return { store: fileBlobs({ dir }), close: () => rm(dir, { recursive: true }) };
});

for (const [name, options] of [
	["s3", {}],
	["s3 in short pages", { pageObjects: 7 }],
] as const) {
	blobStoreContract(name, async () => {
		const dir = await mkdtemp(join(tmpdir(), "svc-blobs-"));
		const s3 = await fakeS3(options);
		return {
			store: s3Blobs({ ...s3.bucket, dir, log: { warn: () => undefined } }),
			close: async () => {
				await s3.close();
				await rm(dir, { recursive: true });
			},
		};
	});
}
