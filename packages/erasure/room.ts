import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Billing } from "@svc/billing/room";
import type { Connect } from "@svc/connect/room";
import type { Events } from "@svc/events/room";
import type { Exports } from "@svc/exports/room";
import type { Images } from "@svc/images/room";
import type { Imports } from "@svc/imports/room";
import type { Jobs } from "@svc/jobs/room";
import type { Keys } from "@svc/keys/room";
import type { Mail } from "@svc/mail/room";
import type { Moderation } from "@svc/moderation/room";
import type { Moves } from "@svc/moves/room";
import type { People } from "@svc/people/room";
import type { Tickets } from "@svc/tickets/room";
import { meStore } from "./close-account-store.ts";
import { erasureStore } from "./erasure-store.ts";
import { takeBackStore } from "./not-me-store.ts";

export type Erasure = ReturnType<typeof openErasure>;

interface LowerRooms {
	readonly jobs: Jobs;
	readonly events: Events;
	readonly mail: Mail;
	readonly people: People;
	readonly keys: Keys;
	readonly images: Images;
	readonly connect: Connect;
	readonly tickets: Tickets;
	readonly imports: Imports;
	readonly exports: Exports;
	readonly moves: Moves;
	readonly moderation: Moderation;
	readonly billing: Billing;
}

export function openErasure(base: Base, database: Database, lower: LowerRooms) {
	return {
		...base,
		...lower,
		store: erasureStore(database),
		accounts: meStore(database),
		takeBacks: takeBackStore(database),
	};
}
