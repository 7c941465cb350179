import type { Addresses } from "@svc/base/addresses";
import { changeFailure } from "@svc/base/database-error";
import type { BlockReason, ImageFormat, ImageStatus } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { Clock, RenditionStore } from "@svc/base/ports";
import type { EventData } from "@svc/events/event";
import { readSnapshot } from "@svc/events/snapshots-store";
import { imageKept } from "./image-events-store.ts";
import type { CallAccess, ImageStore, PictureFacts } from "./ports.ts";
import type { SeenFacts } from "./transform/analysis.ts";

export interface Image {
	readonly pk: number;
	readonly id: string;
	readonly appPk: number;
	readonly storagePk: number;
	readonly teamHash: string;
	readonly status: ImageStatus;
	/** A moderation lock is independent of the status. */
	readonly locked: boolean;
	readonly blockReason: BlockReason | null;
	readonly nsfw: boolean;
	/** Null where the variant knows no visibility. */
	readonly public: boolean | null;
	readonly filename: string;
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** Size of the stored master. */
	readonly bytes: number;
	readonly blobKey: string;
	/** The App's own name for it. */
	readonly externalId: string | null;
	readonly publishedMs: number;
	/** Null: permanent. */
	readonly expiresMs: number | null;
	readonly createdMs: number;
	readonly caption: string;
	readonly metadata: Readonly<Record<string, string>>;
	readonly labels: Readonly<Record<string, string>>;
	/** Increases with every change. */
	readonly revision: number;
}

/** What may be shown of an image: all but its place in the database. */
export type ImageFacts = Omit<Image, "pk">;

/** What the event of an image says, as it was then. */
export interface ImageEvent {
	readonly object: ImageFacts;
	/** What was known of the picture; undefined where a release wrote it that did not say. */
	readonly facts: PictureFacts | undefined;
	/** The image as it was before, where the event tells what changed. */
	readonly before: ImageFacts | undefined;
	readonly reason: string | null;
}

export function readImageEvent({ object, previous, reason = null }: EventData, appPk: number): ImageEvent {
	const { lockedMs, ...row } = readSnapshot(imageKept, object);
	const image = { ...row, appPk, locked: lockedMs !== null };
	const facts = object.facts as PictureFacts | undefined;
	return { object: image, facts, before: previous ? { ...image, ...previous } : undefined, reason };
}

/** An image that is about to be committed. */
export interface NewImage extends ImageFacts {
	readonly sha256: Uint8Array<ArrayBuffer>;
	/** Of the bytes that were sent or fetched; null where they are the stored ones. */
	readonly sentSha256: Uint8Array<ArrayBuffer> | null;
	/** What its inspection found out about the picture; the rest is looked for later. */
	readonly seen?: SeenFacts | undefined;
}

/** What of the room single images are found and deleted with. */
interface ImagePlaces {
	readonly store: ImageStore;
	readonly clock: Clock;
}

/**
 * An image of the call's storage; any other one, another App's image included, is not found.
 * @throws Failure not_found, media_blocked (with its reason), media_failed
 */
export async function getImage(room: ImagePlaces, access: CallAccess, id: string): Promise<Image> {
	const image = await reachable(room, access, id);
	if (image.status === "blocked") {
		throw Failure.saying(
			"media_blocked",
			`This image is blocked by moderation${image.blockReason ? `: ${image.blockReason}` : ""}.`,
		);
	}
	if (image.status === "failed") throw new Failure("media_failed");
	return image;
}

/**
 * Deletes an image in whatever state it is; its addresses answer 404 from the next request on.
 * @param kept whether it can be restored for a day
 * @throws Failure not_found, delete_failed, server_error (timed out) as {@link changeFailure}
 */
export async function deleteImage(
	room: ImagePlaces & { readonly renditions: RenditionStore },
	access: CallAccess,
	id: string,
	kept = false,
): Promise<void> {
	const image = await reachable(room, access, id);
	const deleted = await room.store.delete(image, access, room.clock.now(), kept).catch((cause: unknown) => {
		throw changeFailure("delete_failed", cause);
	});
	if (!deleted) {
		await access.again?.();
		// Of two concurrent deletes one succeeded; the other finds no image.
		throw new Failure("not_found");
	}
	await room.renditions.purge(image.blobKey);
}

async function reachable(room: ImagePlaces, access: CallAccess, id: string): Promise<Image> {
	const image = isId("img", id) ? await room.store.find(access.storage.pk, id, room.clock.now()) : undefined;
	if (!image) throw new Failure("not_found");
	return image;
}

/** What of an image is in its address. */
export type AddressedImage = Pick<ImageFacts, "appPk" | "teamHash" | "id" | "format">;

/** The direct address of an image: a public capability link, on the host of its App where that has one of its own. */
export function imageUrl({ cdn, hosts }: Addresses, image: AddressedImage): string {
	return `${hosts?.originOf(image.appPk) ?? cdn}/${image.teamHash}/${image.id}.${image.format}`;
}

/** How many images are deleted at once. */
const EXPIRED_MAX = 500;

/** Deletes what has expired, oldest first, at most one batch of it; returns how many. */
export async function expireImages(
	room: ImagePlaces & { readonly renditions: RenditionStore },
	yieldToRequests: () => Promise<void>,
): Promise<number> {
	const now = room.clock.now();
	const expired = await room.store.listExpired(now, EXPIRED_MAX);
	for (const image of expired) {
		await room.store.delete(image, "sweeper", now);
		await room.renditions.purge(image.blobKey);
		await yieldToRequests();
	}
	return expired.length;
}

export const CHANGEABLE = [
	"caption",
	"expiresMs",
	"publishedMs",
	"public",
	"metadata",
	"labels",
	"externalId",
] as const;

/** The fields of an image that an update may change. */
export type ChangeableFields = Pick<Image, (typeof CHANGEABLE)[number]>;
