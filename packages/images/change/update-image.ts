import { changeFailure } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { labelKeysFault, type MapChange, metadataKeysFault } from "../image-fields.ts";
import type { ChangeableFields, Image } from "../images.ts";
import { CHANGEABLE } from "../images.ts";
import type { CallAccess } from "../ports.ts";
import type { Images } from "../room.ts";

/** The writable fields of an update, parsed. A missing field stays unchanged. */
export interface ImageChanges {
	/** Null or empty clears it. */
	readonly caption?: string | null | undefined;
	/** Seconds from the time of the request; null makes the image permanent. */
	readonly ttl?: number | null | undefined;
	/** Milliseconds since 1970. */
	readonly published_at?: number | undefined;
	readonly metadata?: MapChange | undefined;
	readonly labels?: MapChange | undefined;
	/** Labels that must have exactly these values at the commit, or nothing changes. */
	readonly if_labels?: Readonly<Record<string, string>> | undefined;
	/** The image as it was when the caller read it: where it was changed since, nothing changes. */
	readonly if_revision?: number | undefined;
	readonly public?: boolean | null | undefined;
	/** Null clears it. */
	readonly external_id?: string | null | undefined;
}

/**
 * Changes an image and returns it as it then is. Of two concurrent updates both happen, one after the other. `nowMs` is the time
 * of the request.
 * @throws Failure not_found, media_failed, media_locked, state_conflict, validation_error (for the merged maps), update_failed, server_error (timed out) where
 * the database is away: its message says whether anything can have changed
 */
export async function updateImage(
	room: Images,
	access: CallAccess,
	id: string,
	changes: ImageChanges,
	nowMs = room.clock.now(),
): Promise<Image> {
	if (!isId("img", id)) throw new Failure("not_found");
	const place = { storagePk: access.storage.pk, id };
	const change = (image: Image) => changedImage(image, changes, nowMs);
	const updated = await room.store.update(place, change, access, nowMs).catch(async (cause: unknown) => {
		throw cause instanceof Overtaken
			? await changedMeanwhile(room, cause.image, changes)
			: changeFailure("update_failed", cause);
	});
	if (!updated) throw new Failure("not_found");
	return updated;
}

/**
 * The image as it is to be; the same where nothing differs.
 * @throws Failure not_found, media_failed, media_locked, state_conflict, validation_error (for the merged maps)
 */
export function changedImage(image: Image, changes: ImageChanges, nowMs: number): Image {
	refuseUnchangeable(image);
	if (changes.if_revision !== undefined && changes.if_revision !== image.revision) throw new Overtaken(image);
	if (!holds(image.labels, changes.if_labels ?? {})) throw new Failure("state_conflict");
	const merged = mergeChanges(image, changes, nowMs);
	refuseOverfull(merged, changes);
	return merged;
}

/** Somebody else has changed the image since it was read. */
class Overtaken extends Error {
	readonly image: Image;

	constructor(image: Image) {
		super("The image was changed meanwhile.");
		this.image = image;
	}
}

/** The fields of a call by the names that events have for them; what is none of these belongs to the file. */
const SENT_NAMES: Readonly<Record<string, string>> = {
	...{ caption: "caption", metadata: "metadata", labels: "labels", public: "public", nsfw: "nsfw" },
	...{ publishedMs: "published_at", expiresMs: "ttl", externalId: "external_id" },
};

/** Names what somebody else has changed; where nobody knows, everything that would be written over it. */
async function changedMeanwhile(room: Images, image: Image, { if_revision: read = 0, ...sent }: ImageChanges) {
	const changed = await room.changedSince(image, read);
	const names = new Set(changed.map((field) => SENT_NAMES[field] ?? "file"));
	const named = names.size > 0 ? [...names].sort() : Object.keys(sent);
	const details = Object.fromEntries(
		named.map((name) => [name, [`was changed by somebody else after revision ${read}`]]),
	);
	const message = `This image was changed meanwhile: it has revision ${image.revision} now, not ${read}. Read it again before you change it.`;
	return new Failure("state_conflict", details, { message });
}

/** Only a ready image changes. One that is being processed or is blocked cannot be changed (specification, "Image status"). */
export function refuseUnchangeable({ status, locked }: Image): void {
	if (status === "failed") throw new Failure("media_failed");
	if (status !== "ready") throw new Failure("not_found");
	if (locked) throw new Failure("media_locked");
}

function holds(labels: Image["labels"], wanted: Readonly<Record<string, string>>): boolean {
	return Object.entries(wanted).every(([key, value]) => ownValue(labels, key) === value);
}

/** Limits on a map's size apply to the result; a map that was not sent is never refused. */
function refuseOverfull(merged: Image, sent: ImageChanges): void {
	const metadata = sent.metadata && metadataKeysFault(Object.keys(merged.metadata));
	const labels = sent.labels && labelKeysFault(Object.keys(merged.labels));
	if (metadata || labels) {
		throw new Failure("validation_error", {
			...(metadata && { metadata: [metadata] }),
			...(labels && { labels: [labels] }),
		});
	}
}

/** The changed image; the same image, and the same maps, where nothing differs. */
export function mergeChanges(image: Image, changes: ImageChanges, nowMs: number): Image {
	const { caption, ttl, published_at, metadata = {}, labels = {}, public: visible, ...others } = changes;
	const { external_id, if_labels: _, if_revision: __, ...rest } = others;
	rest satisfies Record<string, never>;
	const fields: ChangeableFields = {
		caption: caption === undefined ? image.caption : (caption ?? ""),
		expiresMs: ttl === undefined ? image.expiresMs : expiryOf(ttl, nowMs),
		publishedMs: published_at ?? image.publishedMs,
		public: visible ?? image.public,
		metadata: mergeMap(image.metadata, metadata),
		labels: mergeMap(image.labels, labels),
		externalId: external_id === undefined ? image.externalId : external_id,
	};
	return CHANGEABLE.every((field) => fields[field] === image[field]) ? image : { ...image, ...fields };
}

function expiryOf(ttlSeconds: number | null, nowMs: number): number | null {
	return ttlSeconds === null ? null : nowMs + ttlSeconds * 1_000;
}

// Entries and not spreads with deletes: "constructor" and "__proto__" are keys like any other.
function mergeMap(map: Image["labels"], change: MapChange): Image["labels"] {
	const moved = Object.entries(change).filter(([key, value]) => ownValue(map, key) !== value);
	if (moved.length === 0) return map;
	const merged = new Map<string, string | null>([...Object.entries(map), ...moved]);
	const kept = [...merged].filter((entry): entry is [string, string] => entry[1] !== null);
	return Object.fromEntries(kept);
}

/** Null where the map has no such key of its own. */
function ownValue(map: Image["labels"], key: string): string | null {
	return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}
