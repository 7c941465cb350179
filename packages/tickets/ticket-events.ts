import type { Ticket } from "./tickets.ts";

/** A ticket as an event keeps it: without what only the database uses. */
export type TicketEvent = Omit<Ticket, "pk" | "appPk" | "storagePk" | "maker" | "makerKind" | "endedMs">;

/** The ticket of an event, as the change left it. */
export function readTicketEvent({ object }: Readonly<Record<string, unknown>>): TicketEvent {
	return object as TicketEvent;
}
