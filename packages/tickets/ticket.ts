import type { App, Storage } from "@svc/apps/access";
import type { TICKET_MAKERS, TicketFormat, TicketState } from "@svc/base/enumerations";

/** What a ticket is made with. */
export interface TicketTerms {
	/** Seconds. */
	readonly expiresIn: number;
	readonly maxBytes: number;
	readonly formats: readonly TicketFormat[];
	/** Null: any. */
	readonly origins: readonly string[] | null;
	/** Of the image to be, as they were sent. */
	readonly fields: Readonly<Record<string, unknown>>;
	/** The connected user whose storage it is, as the App knows them. */
	readonly userId: string | null;
}

export interface NewTicket extends Omit<TicketTerms, "expiresIn"> {
	readonly id: string;
	readonly appPk: number;
	readonly storagePk: number;
	/** Whose authority it has: the public id of a key, or of a session or token. */
	readonly maker: string;
	readonly makerKind: (typeof TICKET_MAKERS)[number];
	readonly state: TicketState;
	readonly imageId: string;
	readonly createdMs: number;
	readonly expiresMs: number;
	/** When it ended, or will end by its time. */
	readonly endedMs: number;
}

export interface Ticket extends NewTicket {
	readonly pk: number;
	/** SHA-256 of the token of its address. */
	readonly hash: Uint8Array;
	readonly usedMs: number | null;
	/** Uploads that were judged: those that were refused, and the one that made the image. */
	readonly attempts: number;
	/** The error object of the last refusal; null once used. */
	readonly failure: Readonly<Record<string, unknown>> | null;
}

/** A ticket with what its use depends on besides its maker. */
export interface PlacedTicket {
	readonly ticket: Ticket;
	readonly app: App;
	readonly storage: Storage;
	/** Whether the user whose storage it is can be reached by the App; true where it is nobody's. */
	readonly isReachable: boolean;
}
