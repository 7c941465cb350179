import { isId } from "@svc/base/ids";
import { type Image, imageUrl } from "@svc/images/images";
import { missing } from "../kit/layout.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Page, Route, Visit } from "../kit/visit.ts";
import { findSignedIn } from "../people/sign-in.ts";
import { imagePage } from "./image-page.tsx";
import { sitemapRoutes } from "./sitemap.ts";

/** The images' own pages; without them, redirects from their former addresses. */
export function imageRoutes(rooms: PagesRooms): Route[] {
	if (!rooms.variant.visibility.exists) {
		return [{ path: "/i/:id", get: ({ params }) => formerImagePage(rooms, params.id ?? "") }];
	}
	return [{ path: "/i/:id", get: (visit) => viewImage(rooms, visit) }, ...sitemapRoutes(rooms)];
}

/** A page that the person may not see gets the same 404 as one that never existed. */
async function viewImage(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const { id = "" } = visit.params;
	const image = isId("img", id) ? ((await findPublic(rooms, id)) ?? (await findOwn(rooms, visit, id))) : undefined;
	if (!image) throw missing();
	return imagePage(rooms, image, rooms.clock.now());
}

async function findPublic({ images: { store: images }, clock }: PagesRooms, id: string): Promise<Image | undefined> {
	return ifReady(await images.findPublic(id, clock.now()));
}

/** Whatever its visibility, for a person who is signed in and has access. */
async function findOwn(rooms: PagesRooms, visit: Visit, id: string): Promise<Image | undefined> {
	const person = await findSignedIn(rooms, visit);
	return person && ifReady(await rooms.images.visibleImages.findFor(person.account.pk, id, rooms.clock.now()));
}

function ifReady(image: Image | undefined): Image | undefined {
	return image?.status === "ready" ? image : undefined;
}

/**
 * Saved addresses of image pages outlive the pages (specification, "Versioning" 2): to the file of an image that was public, otherwise
 * home. Unknown and private images look the same.
 */
async function formerImagePage(rooms: PagesRooms, id: string): Promise<Response> {
	const { addresses } = rooms;
	const image = isId("img", id) ? await findPublic(rooms, id) : undefined;
	const location = image ? imageUrl(addresses, image) : `${addresses.web}/`;
	return new Response(null, { status: 302, headers: { Location: location, "Cache-Control": "no-store" } });
}
