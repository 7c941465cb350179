import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { untilChanged } from "@svc/base/database/until-changed";
import type { Image } from "../images.ts";
import type { Addressed, ImageStore, ShownChanges } from "../ports.ts";

/** A look-up, and the query that it is made by. */
interface Look<Found> {
	readonly sql: string;
	readonly find: (values: Record<string, unknown>) => Promise<Found>;
}

/** Keeps images by their storage and id: a page, or several calls of one backend, often ask for one image. */
export function keptFinder(database: Database, { sql, find }: Look<Image | undefined>): ImageStore["find"] {
	const look = untilChanged(database, {
		sql,
		find: (storagePk: number, id: string, nowMs: number) => find({ storagePk, id, nowMs }),
		nameOf: (storagePk, id) => `${storagePk}/${id}`,
		rowsOf: (image) => rowsOfImages([image]),
	});
	return async (storagePk, id, nowMs) => {
		const image = await look(storagePk, id, nowMs);
		return image && isOver(image, nowMs) ? undefined : image;
	};
}

/** An image that may be served, and its App. */
type FoundImage = Addressed & { readonly image: Image };

/** Keeps what an image's address leads to: every request to the transform host asks whether its image may still be served. */
export function servableFinder(
	database: Database,
	{ sql, find }: Look<Addressed | undefined>,
): ImageStore["findAddressed"] {
	const look = untilChanged(database, {
		sql,
		find: (teamHash: string, id: string, nowMs: number) => find({ teamHash, id, nowMs }),
		nameOf: (teamHash, id) => `${teamHash}/${id}`,
		rowsOf: ({ image }) => rowsOfImages(image ? [image] : []),
		isThere,
	});
	return async (teamHash, id, nowMs) => unlessExpired(await look(teamHash, id, nowMs), nowMs);
}

/** What an answer that shows images was made of: all that their addresses lead to. */
export function addressedChanges(
	{ changes }: Pick<Database, "changes">,
	{ sql }: Pick<Look<unknown>, "sql">,
): ShownChanges | undefined {
	if (!changes) return undefined;
	const { now, isAsRead, readBy } = changes;
	return { now, isAsRead, readsOf: (images) => readBy(sql, rowsOfImages(images)) };
}

/** Each image with its storage and what is known of its picture; of the App whatever concerns it. */
function rowsOfImages(images: readonly Image[]) {
	return images.flatMap(({ id, storagePk, blobKey }) => [
		rowsOf.images(id),
		rowsOf.storages(storagePk),
		rowsOf.analyses(blobKey),
	]);
}

function isThere(found: Addressed | undefined): found is FoundImage {
	return found?.image !== undefined;
}

function unlessExpired(found: Addressed | undefined, nowMs: number): Addressed | undefined {
	return isThere(found) && isOver(found.image, nowMs) ? { app: found.app, image: undefined } : found;
}

function isOver({ expiresMs }: Image, nowMs: number): boolean {
	return expiresMs !== null && expiresMs <= nowMs;
}
