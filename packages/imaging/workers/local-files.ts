import { rm } from "node:fs/promises";
import type { BlobStore } from "@svc/base/ports";
import type { Master } from "@svc/images/ports";
import type { MasterFile } from "./orders.ts";

/** Larger than any master is. */
const MOST_BYTES = 512 * 1_024 ** 2;

/**
 * Has `work` done on a master as a file of this machine's disk. One that lies elsewhere is fetched first, and its copy is removed afterwards; after
 * a crash the sweep of received files finds it.
 */
export async function onDisk<T>(
	{ blob, format, width, height }: Master,
	stage: BlobStore["stage"],
	work: (file: MasterFile) => Promise<T>,
): Promise<T> {
	if (blob.path !== undefined) return await work({ path: blob.path, bytes: blob.bytes, format, width, height });
	const copy = await stage(blob.stream(), MOST_BYTES);
	try {
		return await work({ path: copy.path, bytes: copy.bytes, format, width, height });
	} finally {
		await copy.discard();
	}
}

/** Removes what a worker that failed or was killed may have begun to write. */
export async function cleaned<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		await Promise.all(paths.map((path) => rm(path, { force: true }).catch(() => undefined)));
		throw error;
	}
}
