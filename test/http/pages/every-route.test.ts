import { expect, test } from "bun:test";
import { pagesApp } from "@svc/pages/app";
import * as versions from "@svc/server/variants";
import { type Scene, STOPS } from "../../support/page-walk.ts";
import { openService } from "../../support/service.ts";

/* Each page is a stop of the page walk, in which axe, the narrowest screen and the longest words look at it. */

/** What answers a GET and is no page, or is one that the walk does not come to, and why. */
const NOT_WALKED: Readonly<Record<string, string>> = {
	"/assets/:name": "files of the pages",
	"/console/:app/images.zip": "is a file",
	"/console/:app/live": "tells figures to a script",
	"/console/:app/upload": "leads whoever comes by a GET to the list of images",
	"/console/:app/images/:image/replace": "leads whoever comes by a GET to the picture",
	"/robots.txt": "a text for crawlers",
	"/sitemap.xml": "a list for crawlers",
	"/sitemap-:file": "a list for crawlers",
	"/.well-known/security.txt": "a text for those who found a fault",
	"/account/export/:file": "a file that is fetched",
	"/console/operator/moderation/:image/preview": "a picture, which is fetched: test/http/console/moderation.test.ts",
	"/i/:id": "of older interfaces alone, for public images: test/http/images/image-page.test.ts",
};

const SCENE = {
	...{ plan: "sub_x", invoice: "inv_x", imageId: "img_x", imageUrl: "https://cdn.example/x" },
	shop: { app: { id: "app_x" } },
} as unknown as Scene;

test.each(Object.keys(versions))("each page in %s is a stop of the page walk, or there is a reason", async (name) => {
	const service = await openService({ SVC_VARIANT: name });
	const { routes } = pagesApp(service.rooms, await service.version.pages());
	const paths = routes.filter(({ get }) => get).map(({ path }) => path);
	const routeOf = (at: string) => {
		const { pathname } = new URL(at, service.rooms.addresses.web);
		const fits = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`).test(pathname);
		return paths.includes(pathname) ? pathname : paths.find(fits);
	};
	const stops = STOPS.filter(({ variants }) => variants?.includes(name) ?? true);
	const walked = new Set(stops.map(({ at, route }) => route ?? (at && routeOf(at(SCENE)))));
	const left = paths.filter((path) => !walked.has(path) && !(path in NOT_WALKED));
	// Addresses of forms lead whoever comes by a GET to the form.
	const answers = await Promise.all(
		left.map((path) => service.open(`${service.rooms.addresses.web}${path.replaceAll(/:\w+/g, "x")}`)),
	);
	await service.close();
	expect(left.filter((_, place) => answers[place]?.status !== 303)).toEqual([]);
});
