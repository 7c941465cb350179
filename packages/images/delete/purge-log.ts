import type { Images } from "../room.ts";
import { type LogPage, type LogPlace, PURGES_KEPT_SECONDS } from "./purge-log-store.ts";

/*
 * Each machine keeps renditions on its own disk. What one process deletes or blocks stands in a log, which the others follow; where one was
 * away for longer than the log is kept, at its start and now and then, it compares all that it keeps with the database.
 */

const PAGE = 1_000;
/** Blobs that are compared by one query. */
const COMPARED = 1_000;

export interface PurgeFollower {
	/** Drops the renditions of all that was purged since the last call; the first call only takes note of where the log ends. */
	follow(): Promise<void>;
	/** Drops the renditions of all blobs of which nothing may be served; returns how many blobs those were. */
	compare(): Promise<number>;
}

export function purgeFollower(
	{ purges, renditions, log }: Pick<Images, "purges" | "renditions" | "log">,
	yieldToRequests: () => Promise<void>,
): PurgeFollower {
	let place: LogPlace | undefined;
	let comparing: Promise<number> | undefined;

	async function follow(): Promise<void> {
		const before = place ?? (await purges.end());
		place = before;
		for (let read = PAGE; read === PAGE; ) {
			const page: LogPage = await purges.listAfter(place, PAGE);
			await dropAll(page.blobKeys);
			place = page;
			read = page.blobKeys.length;
		}
		// Some of what it missed may be forgotten by now.
		if (place.atSeconds - before.atSeconds > PURGES_KEPT_SECONDS / 2) await compare();
	}

	function compare(): Promise<number> {
		comparing ??= compareAll().finally(() => {
			comparing = undefined;
		});
		return comparing;
	}

	async function compareAll(): Promise<number> {
		// From here on the log tells.
		place ??= await purges.end();
		const kept = [...new Set(renditions.blobKeys())];
		let dropped = 0;
		for (let from = 0; from < kept.length; from += COMPARED) {
			const strays = await purges.listUnserved(kept.slice(from, from + COMPARED));
			await dropAll(strays);
			dropped += strays.length;
		}
		if (dropped > 0) log.info("renditions were dropped whose images are gone or blocked", { images: dropped });
		return dropped;
	}

	async function dropAll(blobKeys: readonly string[]): Promise<void> {
		for (const blobKey of blobKeys) {
			await renditions.purge(blobKey);
			await yieldToRequests();
		}
	}

	return { follow, compare };
}
