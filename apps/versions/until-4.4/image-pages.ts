import { isId } from "@svc/base/ids";
import type { Image } from "@svc/images/images";
import { findPublic } from "@svc/pages/images/images";
import { missing } from "@svc/pages/kit/layout.tsx";
import type { PagesRooms } from "@svc/pages/kit/rooms";
import type { Page, Route, Visit } from "@svc/pages/kit/visit";
import { findSignedIn } from "@svc/pages/people/signed-in";
import { imagePage } from "./image-page.tsx";
import { sitemapRoutes } from "./sitemap-routes.ts";
import type { VisibleImageStore } from "./visible-images-store.ts";

/* The images' own pages, and where search engines find them. */

export function imagePages(rooms: PagesRooms, visibleImages: VisibleImageStore): readonly Route[] {
	return [
		{ path: "/i/:id", get: (visit) => viewImage(rooms, visibleImages, visit) },
		...sitemapRoutes(rooms, visibleImages),
	];
}

/** A page that the person may not see gets the same 404 as one that never existed. */
async function viewImage(rooms: PagesRooms, visibleImages: VisibleImageStore, visit: Visit): Promise<Page> {
	const { id = "" } = visit.params;
	const find = async () => (await findPublic(rooms, id)) ?? (await findOwn(rooms, visibleImages, visit, id));
	const image = isId("img", id) ? await find() : undefined;
	if (!image) throw missing();
	return imagePage(rooms, image, rooms.clock.now());
}

/** Whatever its visibility, for a person who is signed in and has access. */
async function findOwn(
	rooms: PagesRooms,
	visibleImages: VisibleImageStore,
	visit: Visit,
	id: string,
): Promise<Image | undefined> {
	const person = await findSignedIn(rooms, visit);
	const image = person && (await visibleImages.findFor(person.account.pk, id, rooms.clock.now()));
	return image?.status === "ready" ? image : undefined;
}
