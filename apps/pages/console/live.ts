import type { Event } from "@svc/sdk/shapes";
import { filterOf } from "./images/filter.ts";
import { listPage } from "./images/listing.ts";
import { type ConsoleVisit, clientOf, type Screen } from "./kit/visit.ts";

/* What has happened to an App since a screen was shown, for the script that waits for it. It is the feed of events, under the same rules. */

export const liveScreen: Screen = { path: "/:app/live", get: showNews };

/** Shorter than what proxies let a connection be idle for. */
const WAIT_SECONDS = 20;
const EVENTS_MAX = 100;

/** The place of an App to which nothing has happened yet. */
const BEGINNING = "0";

/** What brings an image into a list. */
const BRINGS: readonly string[] = ["image.created", "image.restored", "image.moved", "image.unblocked"];

/** Without `after` at once, with the place in the feed to wait from; otherwise as soon as something happens. Tells nothing but figures. */
async function showNews(visit: ConsoleVisit): Promise<Response> {
	const { searchParams } = visit.url;
	const after = searchParams.get("after") || undefined;
	const { signal } = visit.request;
	const { events } = clientOf(visit, visit.params.app ?? "");
	if (after === undefined) {
		const { latest } = await events.list({ limit: 1, signal });
		return answer({ after: latest ?? BEGINNING, events: 0, images: 0 });
	}
	const { data } = await events.list({
		after: after === BEGINNING ? undefined : after,
		types: searchParams.get("types")?.split(",").filter(Boolean),
		limit: EVENTS_MAX,
		wait: WAIT_SECONDS,
		signal,
	});
	const images = searchParams.get("count") === "images" ? await countNew(visit, data) : 0;
	return answer({ after: data.at(-1)?.id ?? after, events: data.length, images });
}

/** How many of the images that events brought a reader finds on the first page of the list, with the filter of the screen. */
async function countNew(visit: ConsoleVisit, events: readonly Event[]): Promise<number> {
	const brought = new Set(events.filter(({ type }) => BRINGS.includes(type)).map(({ data }) => data.object.id));
	if (brought.size === 0) return 0;
	const newestFirst = { ...filterOf(visit.url), order: undefined };
	const first = await listPage(visit, newestFirst, { cursor: undefined, trail: [], view: "grid" });
	return first.data.filter(({ id }) => brought.has(id)).length;
}

function answer(news: { readonly after: string; readonly events: number; readonly images: number }): Response {
	return Response.json(news, { headers: { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" } });
}
