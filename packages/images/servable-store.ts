import type { Database } from "@svc/base/database/client";
import { untilChanged } from "@svc/base/database/until-changed";
import type { Image } from "./images.ts";
import type { Addressed, ImageStore } from "./ports.ts";

/** An image that may be served, and its App. */
type Found = Addressed & { readonly image: Image };

/** Keeps what an image's address leads to: every request to the transform host asks whether its image may still be served. */
export function servableFinder(database: Database, find: ImageStore["findAddressed"]): ImageStore["findAddressed"] {
	const look = untilChanged(database, find, (teamHash, id) => `${teamHash}/${id}`, isThere);
	return async (teamHash, id, nowMs) => unlessExpired(await look(teamHash, id, nowMs), nowMs);
}

function isThere(found: Addressed | undefined): found is Found {
	return found?.image !== undefined;
}

function unlessExpired(found: Addressed | undefined, nowMs: number): Addressed | undefined {
	if (!isThere(found)) return found;
	const { expiresMs } = found.image;
	return expiresMs !== null && expiresMs <= nowMs ? { app: found.app, image: undefined } : found;
}
