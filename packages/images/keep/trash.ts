import type { Images } from "../room.ts";
import { isBlobKey, pageByPage, type SweepAids } from "./orphans.ts";

/* Stored blobs that no row names wait here: the database may turn out to be the wrong one, or another may be brought back that knows them. */

export const TRASH_KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Looks through the trash page by page, some with each call: brings back what the database knows, whatever its state there, and removes what
 * has lain for 30 days. Returns how many were removed.
 */
export function trashSweeper(room: Images, aids: SweepAids): () => Promise<number> {
	return pageByPage(room, aids, {
		name: "trash",
		list: (after) => room.trash.list(after),
		async work(listed, now) {
			const blobs = listed.filter(({ key }) => isBlobKey(key));
			const unknown = new Set(await room.store.listUnknownBlobs(blobs.map(({ key }) => key)));
			let removed = 0;
			for (const { key, writtenMs } of blobs) {
				await aids.yieldToRequests();
				if (!unknown.has(key)) await bringBack(room, key);
				else if (writtenMs < now - TRASH_KEPT_MS) {
					await room.trash.remove(key);
					removed += 1;
				}
			}
			return removed;
		},
	});
}

async function bringBack(room: Images, key: string): Promise<void> {
	if (await room.trash.restore(key))
		room.log.warn("a blob that the database knows came back from the trash", { blob: key });
}
