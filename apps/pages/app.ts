import { Elysia } from "elysia";
import { page } from "./page.ts";

export interface PagesDeps {
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
	app.onError(({ code }) => (code === "NOT_FOUND" ? missing() : undefined));
	return { handle: (request: Request) => app.handle(request) };
}
