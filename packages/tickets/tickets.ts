import type { Access } from "@svc/apps/access";
import type { Actor } from "@svc/base/actor";
import { sameBytes, toToken } from "@svc/base/crypto/macs";
import { hashSecret } from "@svc/base/crypto/secrets";
import type { Span } from "@svc/base/cursors";
import type { TicketState } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import { closed } from "@svc/images/create/create-failure";
import { requireSpace } from "@svc/images/create/create-image";
import type { CallAccess } from "@svc/images/ports";
import type { Tickets } from "./room.ts";
import type { NewTicket, Ticket, TicketTerms } from "./ticket.ts";
import { ticketKept } from "./tickets-store.ts";

/*
 * Upload tickets: whoever has a ticket's address uploads one image with it, without a key. A ticket is an Idempotency-Key that was given out
 * beforehand, together with the id of its image (docs/decisions/0089).
 */

/** A ticket without what only the database uses. */
export type ShownTicket = Omit<Ticket, "pk" | "hash" | "appPk" | "storagePk" | "maker" | "makerKind" | "endedMs">;

/** The ticket of its event, as it was then. */
export function readTicketEvent(kept: Kept): ShownTicket {
	return readSnapshot(ticketKept, kept);
}

/** Of one App. */
const OPEN_MAX = 10_000;
const DAY_MS = 86_400_000;
/** How long a ticket that has ended can be read. */
const KEPT_MS = 30 * DAY_MS;
/** An upload that began in time may end after it: the longest one, and time for what has to be decoded. */
const LATE_MS = 3_600_000;

/**
 * Makes a ticket for one image in the caller's storage, with the caller's authority. Where there is no room now it makes none: the backend can
 * tell its page before a file travels. The upload is judged again, since a ticket reserves nothing.
 * @throws Failure forbidden for a user's own key, quota_exceeded, validation_error under `upload_tickets`, workspace_unavailable, and what the
 * caller would be told if they came now
 */
export async function createTicket(room: Tickets, access: CallAccess, terms: TicketTerms): Promise<Ticket> {
	refuseOwnKey(access);
	if (access.storage.state === "deleting") throw await closed(access);
	await requireSpace(room.images, access);
	const by = byOf(room, access);
	const { expiresIn, ...asked } = terms;
	const expiresMs = by.nowMs + expiresIn * 1_000;
	const ticket: NewTicket = {
		...asked,
		id: newId("upt"),
		appPk: access.app.pk,
		storagePk: access.storage.pk,
		...makerOf(access),
		state: "open",
		imageId: newId("img"),
		createdMs: by.nowMs,
		expiresMs,
		endedMs: expiresMs,
	};
	const hash = await hashSecret(await newTokenOf(room, ticket.id));
	const refused = await room.store.create(ticket, hash, access, OPEN_MAX, by);
	if (refused === "closed") throw await closed(access);
	if (refused === "full") {
		const most = OPEN_MAX.toLocaleString("en");
		throw invalid(
			"upload_tickets",
			`${most} of this App are open, and no more can be: cancel some, or let them expire`,
		);
	}
	return found(await room.store.find(ticket.storagePk, ticket.id, by.nowMs));
}

/** @throws Failure not_found for one of another storage as well */
export async function getTicket(room: Tickets, { storage }: Access, id: string): Promise<Ticket> {
	return found(isId("upt", id) ? await room.store.find(storage.pk, id, room.clock.now()) : undefined);
}

/** Newest first. */
export function listTickets(
	room: Tickets,
	{ storage }: Access,
	page: Span & { readonly state?: TicketState | undefined },
): Promise<readonly Ticket[]> {
	return room.store.list(storage.pk, page, room.clock.now());
}

/**
 * Ends an open ticket; one that has ended otherwise stays as it is.
 * @throws Failure forbidden for a user's own key, not_found, state_conflict for one that was used
 */
export async function cancelTicket(room: Tickets, access: CallAccess, id: string): Promise<Ticket> {
	refuseOwnKey(access);
	const before = await getTicket(room, access, id);
	if (before.state !== "open") return unused(before);
	await room.store.cancel(before, access, byOf(room, access));
	const ticket = await getTicket(room, access, id);
	if (ticket.state === "open") throw await closed(access);
	return unused(ticket);
}

function unused(ticket: Ticket): Ticket {
	if (ticket.state !== "used") return ticket;
	throw Failure.saying("state_conflict", `This ticket was used: it made ${ticket.imageId}.`);
}

/** The secret part of a new ticket's address: 256 bits. */
async function newTokenOf({ tokenMacs }: Pick<Tickets, "tokenMacs">, id: string): Promise<string> {
	return toToken(await tokenMacs.current()("token", id));
}

/** The secret part of a ticket's address; undefined where the key is gone that it was made with. */
export async function findTokenOf(
	{ tokenMacs }: Pick<Tickets, "tokenMacs">,
	{ id, hash }: Pick<Ticket, "id" | "hash">,
): Promise<string | undefined> {
	for (const mac of tokenMacs.all()) {
		const token = toToken(await mac("token", id));
		if (sameBytes(await hashSecret(token), hash)) return token;
	}
	return undefined;
}

/** Writes down which tickets ended by their time, and removes those that ended long ago; returns how many were removed. */
export async function sweepTickets(room: Tickets, limit: number): Promise<number> {
	const now = room.clock.now();
	await room.store.endDue(now - LATE_MS, now, limit);
	return await room.store.forget(now - KEPT_MS, limit);
}

function refuseOwnKey({ caller }: Access): void {
	if (caller.reach !== "user") return;
	throw Failure.saying("forbidden", "Upload tickets are made by the App: this key is a user's own.");
}

function makerOf({ caller }: Access): Pick<NewTicket, "maker" | "makerKind"> {
	if (caller.reach === "team") return { maker: String(caller.pk), makerKind: "session" };
	return { maker: caller.id, makerKind: "key" };
}

export function byOf(room: Pick<Tickets, "clock">, { caller, requestId }: Access): Actor {
	return { actor: caller.id, requestId: requestId ?? null, nowMs: room.clock.now() };
}
