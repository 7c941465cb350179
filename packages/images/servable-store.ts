import type { Database } from "@svc/base/database/client";
import type { Image } from "./images.ts";
import type { ImageStore } from "./ports.ts";

const KEPT_MAX = 10_000;

interface Kept {
	readonly image: Image;
	/** The database's version when it was read. */
	readonly version: number;
}

/**
 * Caches an image's look-up until anything in the database changes. Every request to the transform host asks whether its
 * image may still be served; a file has one owner, so no change can pass its version by. A server may have other writers, and is
 * queried each time.
 */
export function servableFinder(database: Database, find: ImageStore["findServable"]): ImageStore["findServable"] {
	const { version } = database;
	if (version === undefined) return find;
	const kept = new Map<string, Kept>();

	return async (teamHash, id, nowMs) => {
		const key = `${teamHash}/${id}`;
		const now = version();
		const known = kept.get(key);
		if (known?.version === now) return isExpired(known.image, nowMs) ? undefined : known.image;
		kept.delete(key);
		const image = await find(teamHash, id, nowMs);
		if (image) keep(kept, key, { image, version: now });
		return image;
	};
}

function isExpired({ expiresMs }: Image, nowMs: number): boolean {
	return expiresMs !== null && expiresMs <= nowMs;
}

function keep(kept: Map<string, Kept>, key: string, found: Kept): void {
	kept.set(key, found);
	if (kept.size <= KEPT_MAX) return;
	for (const oldest of kept.keys()) {
		kept.delete(oldest);
		return;
	}
}
