import { imageUrl } from "@svc/core/addresses";
import { isId } from "@svc/core/ids";
import type { PagesDeps } from "./deps.ts";
import type { Route } from "./routes.ts";

/** Saved addresses of image pages outlive the pages (specification, "Versioning" 2). */
export function formerImageRoutes(deps: PagesDeps): Route[] {
	return [{ path: "/i/:id", get: ({ params }) => formerImagePage(deps, params.id ?? "") }];
}

/** To the file of an image that was public, otherwise home. Unknown and private images look the same. */
async function formerImagePage({ images, clock, addresses }: PagesDeps, id: string): Promise<Response> {
	const image = isId("img", id) ? await images.findPublic(id, clock.now()) : undefined;
	const location = image ? imageUrl(addresses, image) : `${addresses.web}/`;
	return new Response(null, { status: 302, headers: { Location: location, "Cache-Control": "no-store" } });
}
