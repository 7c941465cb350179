import type { Staged } from "@svc/base/ports";
import type { Images } from "../room.ts";

/** Puts a master in its place, and beside its renditions what its inspection made of it to be served without parameters. */
export async function putMaster({ blobs, shrunkMasters }: Images, blobKey: string, master: Staged): Promise<void> {
	await blobs.put(blobKey, master);
	await shrunkMasters.stored(blobKey, master.sha256);
}
