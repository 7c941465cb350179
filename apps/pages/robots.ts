import type { Addresses } from "@svc/base/addresses";
import type { Route } from "./kit/visit.ts";

/* What search engines are asked to leave out: pages that mean something to one person only. */

const PERSONAL = ["/connect", "/account", "/billing", "/checkout", "/console"];

export function isPersonal(path: string): boolean {
	return PERSONAL.some((start) => path === start || path.startsWith(`${start}/`));
}

const SITEMAP = "/sitemap.xml";

/** Names the sitemap, if it is among the routes. */
export function robotsRoute({ web }: Addresses, routes: readonly Route[]): Route {
	const rules = PERSONAL.map((path) => `Disallow: ${path}\n`).join("");
	const sitemap = routes.filter(({ path }) => path === SITEMAP).map(({ path }) => `\nSitemap: ${web}${path}\n`);
	const text = `User-agent: *\n${rules}${sitemap.join("")}`;
	const headers = {
		"Content-Type": "text/plain; charset=utf-8",
		"Cache-Control": "public, max-age=3600",
		"X-Content-Type-Options": "nosniff",
	};
	return { path: "/robots.txt", get: async () => new Response(text, { headers }) };
}
