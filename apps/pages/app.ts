import { type Addresses, imageUrl } from "@svc/core/addresses";
import { isId } from "@svc/core/ids";
import type { Clock, ImageStore } from "@svc/core/ports";
import { Elysia } from "elysia";
import { page } from "./page.ts";

export interface PagesDeps {
	readonly images: Pick<ImageStore, "findPublic">;
	readonly clock: Clock;
	readonly addresses: Addresses;
	/** The service's own name. */
	readonly name: string;
}

/** The hosted pages. */
export function pagesApp(deps: PagesDeps) {
	const home = page(
		200,
		deps.name,
		`<p>Image storage for Apps. Developers find the <a href="/docs">API document</a> here.</p>`,
	);
	const missing = page(404, deps.name, `<p>There is no such page. <a href="/">Start over</a>.</p>`);
	const app = new Elysia();
	app.get("/", () => home());
	app.get("/i/:id", ({ params }) => formerImagePage(deps, params.id));
	app.onError(({ code }) => (code === "NOT_FOUND" ? missing() : undefined));
	return { handle: (request: Request) => app.handle(request) };
}

/**
 * Saved addresses of image pages outlive the pages (specification, "Versioning" 2): to the file of an image that was public, otherwise
 * home. Unknown and private images look the same.
 */
async function formerImagePage({ images, clock, addresses }: PagesDeps, id: string): Promise<Response> {
	const image = isId("img", id) ? await images.findPublic(id, clock.now()) : undefined;
	const location = image ? imageUrl(addresses, image) : `${addresses.web}/`;
	return new Response(null, { status: 302, headers: { Location: location, "Cache-Control": "no-store" } });
}
