import { EVENT_TYPES, type EventNoun, type EventType } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { Event, Feed } from "./event.ts";
import type { Events } from "./room.ts";

/** What an event is about. */
export function nounOf(type: EventType): EventNoun {
	return type.slice(0, type.indexOf(".")) as EventNoun;
}

/** How long an event is kept. */
export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000;

export interface FeedQuery {
	/** Id of the last event that the reader has seen; undefined: from the first one. */
	readonly after: string | undefined;
	/** Goes back from the newest event; such a page never waits. */
	readonly newestFirst: boolean;
	/** Undefined: all types. */
	readonly types: readonly EventType[] | undefined;
	readonly limit: number;
	/** For how long an empty page waits, in milliseconds. */
	readonly waitMs: number;
	/** Ends the wait. */
	readonly signal: AbortSignal;
}

export interface FeedPage {
	readonly events: readonly Event[];
	readonly hasMore: boolean;
	/** The id of the App's newest event, of whatever type and user; null where there is none. */
	readonly latest: string | null;
}

/**
 * A page of a feed. Where it is empty and the query waits, it is answered as soon as there is something, by whichever process it was written.
 * @throws Failure validation_error under `after` for an event that is not in this App's feed any more, or never was
 */
export async function readFeed(room: Events, feed: Feed, query: FeedQuery): Promise<FeedPage> {
	const { types = EVENT_TYPES, limit, waitMs, newestFirst } = query;
	const sinceMs = room.clock.now() - EVENTS_KEPT_MS;
	const start = newestFirst ? Number.MAX_SAFE_INTEGER : 0;
	const afterPk = query.after === undefined ? start : await placeOf(room, feed, query.after, sinceMs);
	const find = async () => {
		const found = await room.store.list(feed, { types, afterPk, sinceMs, limit: limit + 1, newestFirst });
		return found.length === 0 ? undefined : found;
	};
	const found = (await (waitMs > 0 ? waitFor(room, { ...query, feed, types }, find) : find())) ?? [];
	const latest = await room.store.latest(feed.appPk, sinceMs);
	return { events: found.slice(0, limit), hasMore: found.length > limit, latest };
}

type Find = () => Promise<readonly Event[] | undefined>;

interface Waiting extends Pick<FeedQuery, "waitMs" | "signal"> {
	readonly feed: Feed;
	readonly types: readonly EventType[];
}

/** It is looked for what comes before it is looked whether something is there: nothing falls between the two. */
async function waitFor(room: Events, { feed, types, waitMs, signal }: Waiting, find: Find) {
	const wanted = new Set(types);
	const isWanted = (news: Pick<Event, "appPk" | "userId" | "type" | "subject">) =>
		news.appPk === feed.appPk &&
		(feed.userId ?? news.userId) === news.userId &&
		(feed.subject ?? news.subject) === news.subject &&
		wanted.has(news.type);
	const endMs = performance.now() + waitMs;
	await using watch = await room.watch.open(isWanted);
	for (;;) {
		const found = await find();
		const leftMs = endMs - performance.now();
		if (found !== undefined || leftMs <= 0 || signal.aborted || room.watch.isClosed()) return found;
		await watch.next(leftMs, signal);
	}
}

async function placeOf(room: Events, { appPk }: Feed, id: string, sinceMs: number): Promise<number> {
	const event = isId("evt", id) ? await room.store.find(appPk, id, sinceMs) : undefined;
	if (event === undefined) throw invalid("after", "must be the id of an event of this App of the last 30 days");
	return event.pk;
}

/**
 * Reads a list of types, `image.*` for all of an object's.
 * @throws Failure validation_error under `types`
 */
export function parseTypes(words: readonly string[]): readonly EventType[] {
	const chosen = words.map((word) => EVENT_TYPES.filter((type) => matches(type, word)));
	const unknown = words.find((_, place) => chosen[place]?.length === 0);
	if (unknown !== undefined) {
		throw invalid("types", `there is no type of event "${unknown.slice(0, 60)}"; there are ${typesNear(unknown)}`);
	}
	return [...new Set(chosen.flat())];
}

/** Of a list that an address holds. */
const TYPES_MAX = 50;

/**
 * The types in an address, separated by commas; undefined where it names none.
 * @param also a type that no feed has
 * @throws Failure validation_error under `types`
 */
export function typesIn<Also extends string = never>(
	sent: string | undefined,
	also?: Also,
): readonly (EventType | Also)[] | undefined {
	if (sent === undefined) return undefined;
	const words = sent.split(",");
	if (words.length > TYPES_MAX) throw invalid("types", `must be at most ${TYPES_MAX} types`);
	const known = parseTypes(words.filter((word) => word !== also));
	return also !== undefined && words.includes(also) ? [...known, also] : known;
}

/** Those of the same object; where there is no such object, all objects. */
function typesNear(word: string): string {
	const [object] = word.split(".", 1);
	const own = EVENT_TYPES.filter((type) => type.startsWith(`${object}.`));
	const all = new Set(EVENT_TYPES.map((type) => `${type.split(".", 1)}.*`));
	return (own.length > 0 ? own : [...all]).join(", ");
}

function matches(type: EventType, word: string): boolean {
	return word === "*" || type === word || (word.endsWith(".*") && type.startsWith(word.slice(0, -1)));
}
