import { statfs } from "node:fs/promises";

/** In so little time nobody writes as much as uploads leave free. */
const FRESH_MS = 100;

/** Free bytes of the file system that `dir` lies on, measured at most ten times a second. */
export function freeSpace(dir: string): () => Promise<number> {
	let measured: { readonly atMs: number; readonly bytes: Promise<number> } | undefined;
	return () => {
		const atMs = performance.now();
		if (measured === undefined || atMs - measured.atMs >= FRESH_MS) {
			measured = { atMs, bytes: freeBytes(dir) };
		}
		return measured.bytes;
	};
}

/** The same, measured now. */
export async function freeBytes(dir: string): Promise<number> {
	const { bavail, bsize } = await statfs(dir);
	return bavail * bsize;
}
