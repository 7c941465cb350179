import { randomBytes } from "node:crypto";
import { mkdir, open, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { freeBytes, unless } from "./folders.ts";

/** Room on a disk that is set aside, for what has to be written when there is no other: a delete that makes more of it. */
export interface Ballast {
	/** Frees the room; false when there is none. */
	release(): Promise<boolean>;
	/** Sets it aside, again if need be, where the disk has twice that much to spare above the floor. */
	renew(): Promise<void>;
}

interface BallastOptions {
	/** The path lies on the file system that must not run out. */
	readonly path: string;
	readonly bytes: number;
	readonly freeFloorBytes: number;
}

export function fileBallast({ path, bytes, freeFloorBytes }: BallastOptions): Ballast {
	async function release(): Promise<boolean> {
		return (await unlink(path).then(() => true, unless("ENOENT"))) ?? false;
	}

	return {
		release,
		async renew() {
			const found = await stat(path).catch(unless("ENOENT"));
			if (found?.size === bytes) return;
			await mkdir(dirname(path), { recursive: true });
			// The same amount stays free for uploads: the ballast must not be what stops them.
			if ((await freeBytes(dirname(path))) < freeFloorBytes + 2 * bytes) return;
			// Another write took the room first; there is none to set aside.
			await fill(path, bytes).catch(release);
		},
	};
}

/** Fills the file with bytes that no file system can compress. */
async function fill(path: string, bytes: number): Promise<void> {
	const chunk = randomBytes(65_536);
	const file = await open(path, "w", 0o600);
	try {
		for (let left = bytes; left > 0; ) left -= (await file.write(chunk, 0, Math.min(left, chunk.length))).bytesWritten;
		await file.sync();
	} finally {
		await file.close();
	}
}
