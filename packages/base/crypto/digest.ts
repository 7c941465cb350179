import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { shareTurn } from "../pace/turns.ts";
import type { BlobDigest } from "../ports.ts";

/** Hashed in a quarter of a millisecond: nothing else waits for long. */
const PART_BYTES = 262_144;

/** What a failed read says about the bytes: a bad sector, and a file that is gone. Other failures pass. */
const TELLING: ReadonlySet<unknown> = new Set(["EIO", "ENOENT"]);

type Between = (bytes: number) => Promise<void>;

/** The digest of a file as it is on the disk now, to its end, wherever that is. */
export async function digestOfFile(path: string, between?: Between): Promise<BlobDigest> {
	const file = await open(path, "r");
	try {
		const hash = createHash("sha256");
		const part = new Uint8Array(PART_BYTES);
		for (let bytes = 0; ; ) {
			const { bytesRead } = await file.read(part, 0, PART_BYTES, bytes);
			if (bytesRead === 0) return { bytes, sha256: hash.digest("hex") };
			await shareTurn();
			hash.update(part.subarray(0, bytesRead));
			bytes += bytesRead;
			await between?.(bytesRead);
		}
	} finally {
		await file.close();
	}
}

/** The digest of bytes that come in parts; each is handed on. */
export async function digestOfParts(
	parts: AsyncIterable<Uint8Array>,
	use: (part: Uint8Array) => Promise<void> = async () => undefined,
): Promise<BlobDigest> {
	const hash = createHash("sha256");
	let bytes = 0;
	for await (const part of parts) {
		hash.update(part);
		bytes += part.length;
		await use(part);
	}
	return { bytes, sha256: hash.digest("hex") };
}

/** The digest, or undefined for bytes that cannot be read. @throws whatever says nothing about the bytes */
export async function digestIfReadable(digest: Promise<BlobDigest>): Promise<BlobDigest | undefined> {
	return await digest.catch((error: unknown) => {
		if (error instanceof Error && "code" in error && TELLING.has(error.code)) return undefined;
		throw error;
	});
}
