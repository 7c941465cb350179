import type { Event } from "../shapes.js";
import type { List } from "../types.js";
import type { CallOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
/** `latest` is the id of the App's newest event: take it as `after` to start from now. */
export interface EventPage extends List<Event> {
    readonly latest: string | null;
}
export interface EventsOptions extends CallOptions {
    /** Id of the last event that you have seen. Default: from the oldest one that is kept, 30 days ago. */
    readonly after?: string | undefined;
    /** `desc`: newest first, back to the oldest one; such a page does not wait. Default: `asc`. */
    readonly order?: "asc" | "desc" | undefined;
    /** Only these; `image.*` stands for all of an object's. */
    readonly types?: readonly string[] | undefined;
    /** Only events about the image with this id. */
    readonly image?: string | undefined;
    /** Events on a page, 1 to 100. Default: 50. */
    readonly limit?: number | undefined;
    /** For how many seconds an empty page waits for something, 0 to 30. Default: 0. */
    readonly wait?: number | undefined;
}
export interface FollowOptions extends Omit<EventsOptions, "limit" | "order" | "wait"> {
    /** Hears of what went wrong for a moment; the feed is read on all the same. */
    readonly onTrouble?: ((error: unknown) => void) | undefined;
}
/** The feed of an App, for an App-wide key, or a person's session or token with an App. */
export interface Events {
    /** Fetches one page, oldest first unless asked otherwise. Go on with the id of the last event as `after`. */
    list(options?: EventsOptions): Promise<EventPage>;
    get(id: string, options?: CallOptions): Promise<Event>;
    /** Yields every event behind `after`, and waits for more, until `signal` ends it. Keep the id of the last one that you have dealt with. */
    follow(options?: FollowOptions): AsyncGenerator<Event, void, undefined>;
}
export declare function eventsOf(transport: Transport): Events;
