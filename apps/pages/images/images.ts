import { isId } from "@svc/base/ids";
import { type Image, imageUrl } from "@svc/images/images";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Route } from "../kit/visit.ts";

/**
 * Saved addresses of image pages outlive the pages (specification, "Versioning" 2): to the file of an image that was public, otherwise
 * home. Unknown and private images look the same.
 */
export function formerImagePages(rooms: PagesRooms): Route[] {
	return [
		{
			path: "/i/:id",
			async get({ params: { id = "" } }) {
				const { addresses } = rooms;
				const image = isId("img", id) ? await findPublic(rooms, id) : undefined;
				const location = image ? imageUrl(addresses, image) : `${addresses.web}/`;
				return new Response(null, { status: 302, headers: { Location: location, "Cache-Control": "no-store" } });
			},
		},
	];
}

/** An image that is public, or was made public while images still had a visibility. */
export async function findPublic({ images, clock }: PagesRooms, id: string): Promise<Image | undefined> {
	const image = await images.store.findPublic(id, clock.now());
	return image?.status === "ready" ? image : undefined;
}
