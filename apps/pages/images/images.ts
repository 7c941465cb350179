import { isId } from "@svc/base/ids";
import { imageUrl } from "@svc/images/image-url";
import type { Image } from "@svc/images/images";
import type { PagesDeps } from "../kit/deps.ts";
import { missing } from "../kit/layout.tsx";
import type { Route } from "../kit/routes.ts";
import type { Page, Visit } from "../kit/visit.ts";
import { findSignedIn } from "../people/sign-in.ts";
import { imagePage } from "./image-page.tsx";
import { sitemapRoutes } from "./sitemap.ts";

/** The images' own pages; where images have none, what has become of them. */
export function imageRoutes(deps: PagesDeps): Route[] {
	if (!deps.variant.visibility.exists) {
		return [{ path: "/i/:id", get: ({ params }) => formerImagePage(deps, params.id ?? "") }];
	}
	return [{ path: "/i/:id", get: (visit) => viewImage(deps, visit) }, ...sitemapRoutes(deps)];
}

/** A page that one may not see is not there, in the same words as one that never was. */
async function viewImage(deps: PagesDeps, visit: Visit): Promise<Page> {
	const { id = "" } = visit.params;
	const image = isId("img", id) ? ((await findPublic(deps, id)) ?? (await findOwn(deps, visit, id))) : undefined;
	if (!image) throw missing();
	return imagePage(deps, image, deps.clock.now());
}

async function findPublic({ images, clock }: PagesDeps, id: string): Promise<Image | undefined> {
	return ifReady(await images.findPublic(id, clock.now()));
}

/** Whatever its visibility, for whoever is signed in and has access. */
async function findOwn(deps: PagesDeps, visit: Visit, id: string): Promise<Image | undefined> {
	const person = await findSignedIn(deps, visit);
	return person && ifReady(await deps.visibleImages.findFor(person.account.pk, id, deps.clock.now()));
}

function ifReady(image: Image | undefined): Image | undefined {
	return image?.status === "ready" ? image : undefined;
}

/**
 * Saved addresses of image pages outlive the pages (specification, "Versioning" 2): to the file of an image that was public, otherwise
 * home. Unknown and private images look the same.
 */
async function formerImagePage(deps: PagesDeps, id: string): Promise<Response> {
	const { addresses } = deps;
	const image = isId("img", id) ? await findPublic(deps, id) : undefined;
	const location = image ? imageUrl(addresses, image) : `${addresses.web}/`;
	return new Response(null, { status: 302, headers: { Location: location, "Cache-Control": "no-store" } });
}
