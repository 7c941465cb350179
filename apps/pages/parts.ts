import { findPublic } from "./images/images.ts";
import { contentPolicy, missing } from "./kit/layout.tsx";
import { Day, size } from "./kit/parts.tsx";
import type { PagesRooms } from "./kit/rooms.ts";
import { show } from "./kit/visit.ts";
import { findSignedIn } from "./people/sign-in.ts";

/* What the pages hand to the interface version that is served, for the pages in which it differs: a version imports no face. */

export interface PageParts {
	readonly rooms: PagesRooms;
	readonly show: typeof show;
	readonly missing: typeof missing;
	readonly contentPolicy: typeof contentPolicy;
	readonly Day: typeof Day;
	readonly size: typeof size;
	readonly findSignedIn: typeof findSignedIn;
	readonly findPublic: typeof findPublic;
}

export function pageParts(rooms: PagesRooms): PageParts {
	return { rooms, show, missing, contentPolicy, Day, size, findSignedIn, findPublic };
}
