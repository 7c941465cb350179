import { statfs } from "node:fs/promises";

const FRESH_MS = 1_000;

/** Free bytes of the file system that `dir` lies on, measured at most once a second. */
export function freeSpace(dir: string): () => Promise<number> {
	let measured: { readonly atMs: number; readonly bytes: Promise<number> } | undefined;
	return () => {
		const atMs = performance.now();
		if (measured === undefined || atMs - measured.atMs >= FRESH_MS) {
			measured = { atMs, bytes: measure(dir) };
		}
		return measured.bytes;
	};
}

async function measure(dir: string): Promise<number> {
	const { bavail, bsize } = await statfs(dir);
	return bavail * bsize;
}
