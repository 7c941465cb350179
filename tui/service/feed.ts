import type { Event } from "@svc/sdk/shapes";
import type { Clients } from "../options.ts";
import type { Effect } from "../state/model.ts";
import { type Asked, clientOf, type Page } from "./asked.ts";

const PAGE = 100;
/** As many as the screen keeps. */
const MOST_PAGES = 10;
const WAIT_S = 25;
/** A request that is held longer than the service holds one is lost. */
const LOST_MS = 2 * WAIT_S * 1_000;

/**
 * What there is of the feed, the newest first. It is read from its beginning on: of an App with more events than the screen keeps, the list
 * begins with what happens from now on.
 */
export async function firstEvents(asked: Asked): Promise<Page> {
	const { after, signal } = asked;
	const { events } = clientOf(asked);
	const all: Event[] = [];
	for (let page = 0; page < MOST_PAGES; page++) {
		const { data, latest, pagination } = await events.list({ after: all.at(-1)?.id ?? after, limit: PAGE, signal });
		all.push(...data);
		if (!pagination.has_more) break;
		const isLong = after === undefined && page === MOST_PAGES - 1;
		if (isLong) return { things: [], nextCursor: undefined, after: latest ?? undefined };
	}
	return { things: all.toReversed(), nextCursor: undefined, after: all.at(-1)?.id ?? after };
}

/** What happens behind an event, the newest first; held until there is something, or for half a minute. */
export async function listenFor(
	{ clientOf: client, signal }: Clients & { readonly signal: AbortSignal },
	{ app, after }: Extract<Effect, { type: "listen" }>,
): Promise<readonly Event[]> {
	const { events } = client(app);
	const { data } = await events.list({ after, limit: PAGE, wait: WAIT_S, timeoutMs: LOST_MS, signal });
	return data.toReversed();
}
