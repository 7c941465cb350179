import type { Access } from "@svc/apps/access";
import type { Cursors } from "@svc/base/cursors";
import type { Image } from "./images.ts";
import { filterParams, type ListRequest } from "./lists.ts";
import type { Images } from "./room.ts";

export interface ImagePage {
	readonly images: readonly Image[];
	/** Undefined on the last page. */
	readonly nextCursor: string | undefined;
}

/** @throws Failure validation_error under `cursor` */
export async function listImages(
	room: Images & { readonly cursors: Cursors },
	access: Access,
	request: ListRequest,
): Promise<ImagePage> {
	const scope = `images ${access.storage.id} ${filterParams(request)}`;
	const after = request.cursor === undefined ? undefined : await room.cursors.open(request.cursor, scope);
	const { ids, labels, limit } = request;
	// One more than asked for tells whether there is another page.
	const query = { ids, labels, limit, after };
	// What a storage that is being deleted still holds is gone for everybody.
	const found =
		access.storage.state === "deleting" ? [] : await room.store.list(access.storage.pk, query, room.clock.now());
	const images = found.slice(0, limit);
	const last = images.at(-1);
	const nextCursor = found.length > limit && last ? await room.cursors.seal(last, scope) : undefined;
	return { images, nextCursor };
}
