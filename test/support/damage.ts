import { open, truncate, unlink, writeFile } from "node:fs/promises";
import type { DamageKind } from "@svc/base/enumerations";
import type { Image } from "@svc/sdk/shapes";
import { plain } from "./pictures.ts";
import { uploaded } from "./requests.ts";
import type { OpenService } from "./service.ts";

/** An image, what was sent of it, and the file that holds it. */
export interface StoredImage {
	readonly image: Image;
	readonly body: Buffer<ArrayBuffer>;
	readonly path: string;
}

/** Stores a picture of its own, or the one that is given. */
export async function storeImage(
	service: OpenService,
	picture: number | Buffer<ArrayBuffer> = 40,
): Promise<StoredImage> {
	const body = typeof picture === "number" ? await plain(picture, 30) : picture;
	const image = await uploaded(service, body);
	return { image, body, path: await masterFile(service, image.id) };
}

/** Where the stored bytes of an image lie. */
export async function masterFile(service: OpenService, imageId: string): Promise<string> {
	const [row] = await service.database.rows("SELECT blob_key FROM images WHERE id = ?", [imageId]);
	const blobKey = String(row?.[0]);
	// The service reads a new original through in the background, and what is damaged meanwhile may have been read already.
	await service.rooms.images.masters.find(blobKey);
	return (await service.rooms.images.blobs.find(blobKey))?.path ?? "";
}

/** Flips one bit in place. */
export async function flip(path: string, place: number): Promise<void> {
	const file = await open(path, "r+");
	const byte = new Uint8Array(1);
	await file.read(byte, 0, 1, place);
	byte[0] = (byte[0] ?? 0) ^ 1;
	await file.write(byte, 0, 1, place);
	await file.close();
}

/** Ways in which a disk loses bytes, and as what they are found. */
export const DAMAGES: readonly (readonly [string, DamageKind, (stored: StoredImage) => Promise<void>])[] = [
	["one byte in the middle flipped", "digest", ({ path, body }) => flip(path, body.length >> 1)],
	["its first byte flipped", "digest", ({ path }) => flip(path, 0)],
	["half of it cut off", "size", ({ path, body }) => truncate(path, body.length >> 1)],
	["bytes added", "size", ({ path, body }) => writeFile(path, Buffer.concat([body, body]))],
	["its file gone", "missing", ({ path }) => unlink(path)],
];

/** The lines of the log that name a damaged image. */
export function damageLines(service: OpenService): OpenService["log"]["lines"] {
	return service.log.lines.filter(({ facts }) => (facts as { event?: string }).event === "blob.damaged");
}
