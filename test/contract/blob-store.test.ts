import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileBlobs } from "@svc/storage/files";
import { blobStoreContract } from "./blob-store.ts";

blobStoreContract("files", async () => {
	const dir = await mkdtemp(join(tmpdir(), "svc-blobs-"));
	return { store: fileBlobs({ dir }), close: () => rm(dir, { recursive: true }) };
});
