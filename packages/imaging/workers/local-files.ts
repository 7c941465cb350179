import { rm } from "node:fs/promises";
import type { BlobStore } from "@svc/base/ports";
import type { Master } from "@svc/images/ports";
import { Damaged } from "./failures.ts";
import type { MasterFile } from "./orders.ts";

/** Larger than any master is. */
const MOST_BYTES = 512 * 1_024 ** 2;

/**
 * Has `work` done on a master as a file of this machine's disk. One that lies elsewhere is fetched first, and its copy is removed afterwards; after
 * a crash the sweep of received files finds it.
 */
export async function onDisk<T>(
	{ blob, format, width, height, frame }: Master,
	stage: BlobStore["stage"],
	work: (file: MasterFile) => Promise<T>,
): Promise<T> {
	const { path, bytes, sha256 } = blob;
	const facts = { format, width, height, frame };
	if (blob.hold) {
		const held = await blob.hold();
		return await work({ path: held.path, bytes, ...facts }).finally(held.release);
	}
	if (path !== undefined) return await judged(blob, () => work({ path, bytes, sha256, ...facts }));
	const copy = await stage(blob.stream(), MOST_BYTES);
	try {
		return await work({ path: copy.path, bytes: copy.bytes, ...facts });
	} finally {
		await copy.discard();
	}
}

/** Has bytes that a worker found to be wrong looked at once more: a disk may fail to read them once, and a file may just have been repaired. */
async function judged<T>({ path, judge }: Master["blob"], work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof Damaged && error.path === path && judge)) throw error;
		await judge();
		return await work();
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
