import type { Database } from "@svc/base/database/client";
import type { Image } from "./images.ts";
import type { Addressed, ImageStore } from "./ports.ts";

const KEPT_MAX = 10_000;

/** An image that may be served, and its App. */
type Found = Addressed & { readonly image: Image };

interface Kept {
	readonly found: Found;
	/** The database's version when it was read. */
	readonly version: number;
}

/**
 * Caches what an image's address leads to until anything in the database changes. Every request to the transform host asks whether its
 * image may still be served; a file has one owner, so no change can pass its version by. A server may have other writers, and is
 * queried each time.
 */
export function servableFinder(database: Database, find: ImageStore["findAddressed"]): ImageStore["findAddressed"] {
	const { version } = database;
	if (version === undefined) return find;
	const kept = new Map<string, Kept>();

	return async (teamHash, id, nowMs) => {
		const key = `${teamHash}/${id}`;
		const now = version();
		const known = kept.get(key);
		if (known?.version === now) return unlessExpired(known.found, nowMs);
		kept.delete(key);
		const found = await find(teamHash, id, nowMs);
		if (isThere(found)) keep(kept, key, { found, version: now });
		return found;
	};
}

function isThere(found: Addressed | undefined): found is Found {
	return found?.image !== undefined;
}

function unlessExpired(found: Found, nowMs: number): Addressed {
	const { expiresMs } = found.image;
	return expiresMs !== null && expiresMs <= nowMs ? { app: found.app, image: undefined } : found;
}

function keep(kept: Map<string, Kept>, key: string, found: Kept): void {
	kept.set(key, found);
	if (kept.size <= KEPT_MAX) return;
	for (const oldest of kept.keys()) {
		kept.delete(oldest);
		return;
	}
}
