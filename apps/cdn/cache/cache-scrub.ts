import type { RenditionCache } from "./cache.ts";

/** A cache of two gigabytes is gone through in two hours, at less than half a megabyte a second. */
const BYTES_AT_ONCE = 16 * 1_024 ** 2;

/**
 * Goes through the renditions on the disk again and again, a few with each call, and drops those that are not what was written: a disk
 * may change bytes without changing a file's times. Resolves to how many bytes were read.
 */
export function cacheScrubber(
	cache: Pick<RenditionCache, "keys" | "check">,
	yieldToRequests: () => Promise<void>,
): () => Promise<number> {
	let left: Iterator<string> = [].values();
	return async () => {
		let bytes = 0;
		while (bytes < BYTES_AT_ONCE) {
			const next = left.next();
			if (next.done) {
				// At most one pass with each call, however small the cache is.
				left = cache.keys().values();
				break;
			}
			bytes += await cache.check(next.value);
			await yieldToRequests();
		}
		return bytes;
	};
}
