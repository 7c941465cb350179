import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { BlobDigest } from "@svc/base/ports";
import { Damaged } from "./failures.ts";
import type { MasterFile, Order } from "./orders.ts";

const PART_BYTES = 1_048_576;
/** What says something about the bytes: a bad sector, and a file that is gone. */
const TELLING: ReadonlySet<unknown> = new Set(["EIO", "ENOENT"]);

/** Reads the masters of an order through before anything is made of them. @throws Damaged for one that is not what it should be */
export async function compareMasters(order: Order): Promise<void> {
	const files = [...("master" in order ? [order.master] : []), ...("tile" in order && order.tile ? [order.tile] : [])];
	for (const file of files) await compare(file);
}

async function compare({ path, bytes, sha256 }: MasterFile): Promise<void> {
	if (sha256 === undefined) return;
	const found = await digestOf(path).catch((error: unknown) => {
		if (error instanceof Error && "code" in error && TELLING.has(error.code)) return undefined;
		throw error;
	});
	if (found?.bytes !== bytes || found.sha256 !== sha256) throw new Damaged(path);
}

async function digestOf(path: string): Promise<BlobDigest> {
	const file = await open(path, "r");
	try {
		const hash = createHash("sha256");
		const part = new Uint8Array(PART_BYTES);
		for (let bytes = 0; ; ) {
			const { bytesRead } = await file.read(part, 0, PART_BYTES, bytes);
			if (bytesRead === 0) return { bytes, sha256: hash.digest("hex") };
			hash.update(part.subarray(0, bytesRead));
			bytes += bytesRead;
		}
	} finally {
		await file.close();
	}
}
