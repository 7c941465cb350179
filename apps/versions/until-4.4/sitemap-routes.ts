import { imageUrl } from "@svc/images/images";
import { missing } from "@svc/pages/kit/layout.tsx";
import type { PagesRooms } from "@svc/pages/kit/rooms";
import type { Route } from "@svc/pages/kit/visit";
import { type SitemapEntry, sitemap } from "./sitemap.ts";
import { imagePageUrl } from "./visible-image.ts";
import type { VisibleImageStore } from "./visible-images-store.ts";

/* Search engines find the public images' pages here (sitemaps.org protocol 0.9, with Google's image extension). */

type Sites = Pick<PagesRooms, "addresses">;

export function sitemapRoutes(rooms: PagesRooms, visibleImages: VisibleImageStore): Route[] {
	const { clock } = rooms;
	const edition = sitemap({ clock, visibleImages });
	return [
		{
			path: "/sitemap.xml",
			async get() {
				const { files, file, freshSeconds } = await edition();
				const parts = files === 1 ? fileParts(rooms, (await file(1))?.parts ?? []) : indexParts(rooms, files);
				return answer(parts, freshSeconds());
			},
		},
		{
			path: "/sitemap-:file",
			async get({ params }) {
				const { file, freshSeconds } = await edition();
				const number = /^([1-9]\d{0,4})\.xml$/.exec(params.file ?? "")?.[1];
				const found = number === undefined ? undefined : await file(Number(number));
				if (!found) throw missing();
				return answer(fileParts(rooms, found.parts), freshSeconds());
			},
		},
	];
}

function* indexParts({ addresses }: Sites, files: number): Generator<string> {
	yield `${XML}<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`;
	for (let number = 1; number <= files; number++) {
		yield `<sitemap><loc>${escaped(`${addresses.web}/sitemap-${number}.xml`)}</loc></sitemap>\n`;
	}
	yield "</sitemapindex>\n";
}

function* fileParts(sites: Sites, parts: readonly Iterable<SitemapEntry>[]): Generator<string> {
	yield `${XML}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">\n`;
	for (const part of parts) {
		let text = "";
		for (const entry of part) text += entryXml(sites, entry);
		yield text;
	}
	yield "</urlset>\n";
}

/** A file is never changed, so the content of an image's page last changed when the image was created. */
function entryXml({ addresses }: Sites, entry: SitemapEntry): string {
	const page = escaped(imagePageUrl(addresses, entry.id));
	// Its rows do not say whose they are: a list of that many names the service's own host, which always answers.
	const file = escaped(imageUrl(addresses, { ...entry, appPk: OF_NO_APP }));
	const changed = new Date(entry.createdMs).toISOString();
	return `<url><loc>${page}</loc><lastmod>${changed}</lastmod><image:image><image:loc>${file}</image:loc></image:image></url>\n`;
}

const OF_NO_APP = 0;
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&apos;",
};

function escaped(text: string): string {
	return text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? mark);
}

/** Written while it is read, so that a slow reader holds one part of it in memory and not all. */
function answer(texts: Iterable<string>, maxAgeSeconds = 60): Response {
	const encoder = new TextEncoder();
	const rest = texts[Symbol.iterator]();
	const body = new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				const next = rest.next();
				if (next.done) controller.close();
				else controller.enqueue(encoder.encode(next.value));
			},
		},
		{ highWaterMark: 0 },
	);
	return new Response(body, {
		headers: {
			"Content-Type": "application/xml; charset=utf-8",
			"Cache-Control": maxAgeSeconds === 0 ? "no-store" : `public, max-age=${maxAgeSeconds}`,
			"Content-Security-Policy": "default-src 'none'",
			"X-Content-Type-Options": "nosniff",
		},
	});
}
