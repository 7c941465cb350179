import { isId } from "@svc/base/ids";
import type { Image } from "@svc/images/images";
import type { Page, Route, Visit } from "@svc/pages/kit/visit";
import type { PageParts } from "@svc/pages/parts";
import { imagePage } from "./image-page.tsx";
import { sitemapRoutes } from "./sitemap-routes.ts";
import type { VisibleImageStore } from "./visible-images-store.ts";

/* The images' own pages, and where search engines find them. */

export function imagePages(parts: PageParts, visibleImages: VisibleImageStore): readonly Route[] {
	return [
		{ path: "/i/:id", get: (visit) => viewImage(parts, visibleImages, visit) },
		...sitemapRoutes(parts, visibleImages),
	];
}

/** A page that the person may not see gets the same 404 as one that never existed. */
async function viewImage(parts: PageParts, visibleImages: VisibleImageStore, visit: Visit): Promise<Page> {
	const { id = "" } = visit.params;
	const { rooms } = parts;
	const find = async () => (await parts.findPublic(rooms, id)) ?? (await findOwn(parts, visibleImages, visit, id));
	const image = isId("img", id) ? await find() : undefined;
	if (!image) throw parts.missing();
	return imagePage(parts, image, rooms.clock.now());
}

/** Whatever its visibility, for a person who is signed in and has access. */
async function findOwn(
	{ rooms, findSignedIn }: PageParts,
	visibleImages: VisibleImageStore,
	visit: Visit,
	id: string,
): Promise<Image | undefined> {
	const person = await findSignedIn(rooms, visit);
	const image = person && (await visibleImages.findFor(person.account.pk, id, rooms.clock.now()));
	return image?.status === "ready" ? image : undefined;
}
