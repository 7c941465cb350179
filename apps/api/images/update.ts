import { type ImageChanges, updateImage } from "@svc/images/update-image";
import { requireJson } from "../kit/body.ts";
import { type Answer, ok, type StorageCall } from "../kit/call.ts";
import { decodeFields } from "../kit/fields.ts";
import type { ApiRooms } from "../kit/rooms.ts";

/** `PATCH /v1/images/{id}` */
export async function update(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const { json, ignored } = rooms.variant.update;
	const changes: ImageChanges = decodeFields(rooms, await requireJson(call.request), json, ignored);
	const image = await updateImage(rooms.images, call.access, call.params.id ?? "", changes);
	return ok(rooms.variant.image.encode(image, rooms.addresses));
}
