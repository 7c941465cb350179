import { newId, randomBase62 } from "@svc/base/ids";
import type { Staged } from "@svc/base/ports";
import type { Images } from "../room.ts";
import type { ImageSlot } from "./idempotency.ts";

export function newImageSlot(imageId = newId("img"), nonce = newNonce()): ImageSlot {
	// Never reused, so that a dead key can be removed at any time.
	return { imageId, blobKey: `${imageId}/${nonce}` };
}

export function newNonce(): string {
	return randomBase62(12);
}

/** Puts a master in its place, and beside its renditions what its inspection made of it to be served without parameters. */
export async function putMaster({ blobs, shrunkMasters }: Images, blobKey: string, master: Staged): Promise<void> {
	await blobs.put(blobKey, master);
	await shrunkMasters.stored(blobKey, master.sha256);
}

/** Marks a blob dead that no commit refers to: only the sweep would find it otherwise. One that is live after all stays. */
export async function dropBlob(room: Pick<Images, "store" | "blobs" | "clock">, blobKey: string): Promise<void> {
	if (!(await room.store.markBlobDead(blobKey, room.clock.now()))) return;
	await room.blobs.remove(blobKey);
	await room.store.forgetBlob(blobKey);
}
