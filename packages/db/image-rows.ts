import type { Image } from "@svc/core/images";
import { storages } from "./schema.ts";
import { images } from "./schema-images.ts";

/** What a query selects to make an {@link Image}; it joins the image's storage for the capability in its address. */
export const imageFields = {
	pk: images.pk,
	id: images.id,
	storagePk: images.storagePk,
	teamHash: storages.teamHash,
	status: images.status,
	lockedMs: images.lockedMs,
	blockReason: images.blockReason,
	nsfw: images.nsfw,
	public: images.public,
	filename: images.filename,
	format: images.format,
	width: images.width,
	height: images.height,
	bytes: images.bytes,
	blobKey: images.blobKey,
	publishedMs: images.publishedMs,
	expiresMs: images.expiresMs,
	createdMs: images.createdMs,
	caption: images.caption,
	metadata: images.metadata,
	labels: images.labels,
	revision: images.revision,
};

interface ImageRow extends Omit<Image, "locked"> {
	readonly lockedMs: number | null;
}

export function toImage({ lockedMs, ...row }: ImageRow): Image {
	return { ...row, locked: lockedMs !== null };
}
