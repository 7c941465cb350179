import type { Addresses } from "@svc/base/addresses";
import type { Route } from "./kit/visit.ts";

/* What search engines are asked to leave out: pages that mean something to one person only. */

const PERSONAL = ["/connect", "/account", "/billing", "/checkout"];

export function isPersonal(path: string): boolean {
	return PERSONAL.some((start) => path === start || path.startsWith(`${start}/`));
}

/** @param sitemap whether this deployment has one */
export function robotsRoute({ web }: Addresses, sitemap: boolean): Route {
	const rules = PERSONAL.map((path) => `Disallow: ${path}\n`).join("");
	const text = `User-agent: *\n${rules}${sitemap ? `\nSitemap: ${web}/sitemap.xml\n` : ""}`;
	const headers = {
		"Content-Type": "text/plain; charset=utf-8",
		"Cache-Control": "public, max-age=3600",
		"X-Content-Type-Options": "nosniff",
	};
	return { path: "/robots.txt", get: async () => new Response(text, { headers }) };
}
