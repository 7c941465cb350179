import type { CardVersion } from "./billing/billing-parts.tsx";
import type { PagesRooms } from "./kit/rooms.ts";
import type { Route } from "./kit/visit.ts";

/** What an interface version has of its own among the pages. */
export interface PagesVersion {
	readonly card: CardVersion;
	/** The pages that it adds to those of all; one with the path of another takes its place. */
	routes(rooms: PagesRooms): readonly Route[];
}
