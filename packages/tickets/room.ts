import type { Base } from "@svc/base/base";
import { hmac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import type { Images } from "@svc/images/room";
import type { Keys } from "@svc/keys/room";
import { ticketStore } from "./tickets-store.ts";

export type Tickets = Awaited<ReturnType<typeof openTickets>>;

interface LowerRooms {
	readonly keys: Keys;
	readonly images: Images;
}

export async function openTickets(base: Base, database: Database, lower: LowerRooms) {
	return {
		...base,
		...lower,
		store: ticketStore(database),
		/** Make the token of a ticket's address from its id, so that no row holds one. */
		tokenMacs: await base.keyring.versions("upload_tickets", hmac),
	};
}
