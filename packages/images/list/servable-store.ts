import type { Database } from "@svc/base/database/client";
import { untilChanged } from "@svc/base/database/until-changed";
import type { Image } from "../images.ts";
import type { Addressed, ImageStore } from "../ports.ts";

/** Keeps images by their storage and id: a page, or several calls of one backend, often ask for one image. */
export function keptFinder(database: Database, find: ImageStore["find"]): ImageStore["find"] {
	const look = untilChanged(database, find, (storagePk, id) => `${storagePk}/${id}`);
	return async (storagePk, id, nowMs) => {
		const image = await look(storagePk, id, nowMs);
		return image && isOver(image, nowMs) ? undefined : image;
	};
}

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
	return isThere(found) && isOver(found.image, nowMs) ? { app: found.app, image: undefined } : found;
}

function isOver({ expiresMs }: Image, nowMs: number): boolean {
	return expiresMs !== null && expiresMs <= nowMs;
}
