import type { Access } from "@svc/apps/access";
import { isAtLeast } from "@svc/apps/authority";
import { hashSecret } from "@svc/base/crypto/secrets";
import { Failure, type FailureCode, isSendersFault } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import type { Staged } from "@svc/base/ports";
import type { Created } from "@svc/images/create/claim";
import { UserIsFull } from "@svc/images/create/create-failure";
import { createImage } from "@svc/images/create/create-image";
import type { CreateFields } from "@svc/images/create/create-request";
import { type IdempotencyKey, keyHash, RETENTION_MS } from "@svc/images/create/idempotency";
import type { CallAccess, FileHints, FileRules } from "@svc/images/ports";
import { isUsable } from "@svc/keys/keys";
import type { Tickets } from "./room.ts";
import type { PlacedTicket, Ticket } from "./ticket.ts";
import { byOf } from "./tickets.ts";
import { useSteps } from "./tickets-store.ts";

/* The use of a ticket: a create with the authority that its maker has now, under the ticket itself as its Idempotency-Key. */

/** After so many refusals a ticket is cancelled. */
const REFUSALS_MAX = 20;
const TOKEN = /^[\w-]{43}$/;

/** A ticket whose use was allowed to begin. */
export interface Upload extends Pick<PlacedTicket, "ticket"> {
	readonly access: CallAccess;
}

/** For a ticket that makes nothing any more. */
const NOBODY: Access["caller"] = { pk: "ticket", id: "ticket", reach: "bucket", permissions: new Set() };

/** What the bearer of a ticket sends. */
export interface SentFile {
	readonly staged: Staged;
	readonly hints: FileHints;
}

/** Undefined for an address that no ticket has. */
export async function findTicket(room: Tickets, token: string): Promise<PlacedTicket | undefined> {
	if (!TOKEN.test(token)) return undefined;
	return await room.store.findPlaced(await hashSecret(token), room.clock.now());
}

/** Whether pages of an origin may use a ticket. Who is no browser sends none, and could send any. */
export function allowsOrigin({ origins }: Ticket, origin: string | null): boolean {
	return origin === null || origins === null || origins.includes(origin);
}

/**
 * Looks at the authority of a ticket's maker again, as a call of theirs would be looked at now. One that was used needs none: nothing can
 * be made with it any more.
 * @throws Failure state_conflict for one that has ended, app_suspended, app_blocked, user_forbidden
 */
async function beginUpload(room: Tickets, placed: PlacedTicket, requestId: string): Promise<Upload> {
	const { ticket } = placed;
	if (ticket.state === "used") {
		if (ticket.endedMs + RETENTION_MS <= room.clock.now()) throw ended("This ticket was used more than a day ago.");
		return { ticket, access: { caller: NOBODY, app: placed.app, storage: placed.storage, requestId } };
	}
	if (ticket.state !== "open") throw ended(`This ticket is ${ticket.state}: ask for a new one.`);
	const again = async () => {
		const found = await room.store.findPlaced(ticket.hash, room.clock.now());
		if (found?.ticket.state !== "open") throw ended("This ticket was cancelled meanwhile.");
		return await accessOf(room, found);
	};
	return { ticket, access: { ...(await accessOf(room, placed)), again, requestId } };
}

async function accessOf(room: Tickets, { ticket, app, storage, isReachable }: PlacedTicket): Promise<Access> {
	const caller = await findMaker(room, ticket, app);
	// Between the two reads it has ended.
	if (!caller) throw ended("This ticket is cancelled: whoever made it may not upload any more.");
	if (caller.reach === "app" && (app.paused || app.blocked)) throw new Failure("app_suspended");
	if (app.blocked) throw new Failure("app_blocked");
	if (!isReachable) throw new Failure("user_forbidden");
	return { caller, app, storage };
}

async function findMaker(
	{ keys, clock }: Tickets,
	{ maker, makerKind }: Ticket,
	app: Access["app"],
): Promise<Access["caller"] | undefined> {
	const now = clock.now();
	if (makerKind === "key") {
		const key = await keys.store.findById(maker);
		return key && isUsable(key, now) && key.permissions.has("write") ? key : undefined;
	}
	const person = await keys.apps.people.sessions.find(maker, now);
	const membership = person && (await keys.apps.memberships.find(app.id, person.account.pk));
	if (!membership || !isAtLeast(membership.role, "editor")) return undefined;
	return { pk: maker, id: person.account.id, reach: "team", permissions: new Set(["read", "write"]) };
}

/** Makes the image; sent again with the same bytes, within a day, it answers with that image. */
export async function useTicket(
	room: Tickets,
	{ ticket, access }: Upload,
	{ staged, hints }: SentFile,
	fields: CreateFields,
	rules: FileRules,
): Promise<Created> {
	const formats = new Set(ticket.formats.filter((format) => rules.formats.has(format)));
	const maxBytes = Math.min(ticket.maxBytes, rules.maxBytes);
	const key: IdempotencyKey = {
		// No Idempotency-Key that is sent can be the same: they are printable.
		hash: keyHash(`\0${ticket.id}`),
		// The bytes alone: phones name their temporary files anew.
		fingerprint: new Uint8Array(staged.sha256),
		reserved: {
			imageId: ticket.imageId,
			steps: ({ createdMs: nowMs }) => useSteps(ticket, { ...byOf(room, access), nowMs }),
		},
	};
	const source = { kind: "upload", staged, hints } as const;
	return await createImage(room.images, access, { source, fields, key }, { ...rules, maxBytes, formats }).catch(
		(cause: unknown) => {
			throw inWords(cause);
		},
	);
}

/**
 * Runs an attempt, which begins when it calls `begin`. A refusal is noted on the ticket, whole, and counts, whatever it is about; the bearer learns
 * nothing of the App's plan from it.
 * @throws Failure whatever `attempt` throws
 */
export async function judged<T>(
	room: Tickets,
	placed: PlacedTicket,
	requestId: string,
	attempt: (begin: () => Promise<Upload>) => Promise<T>,
): Promise<T> {
	const { ticket } = placed;
	// Before it has begun nobody is known but the ticket.
	let actor = ticket.id;
	const begin = async () => {
		const begun = await beginUpload(room, placed, requestId);
		actor = begun.access.caller.id;
		return begun;
	};
	try {
		return await attempt(begin);
	} catch (cause) {
		if (!isSendersFault(cause)) throw cause;
		const { error } = errorBody(cause);
		const by = { actor, requestId, nowMs: room.clock.now() };
		await room.store.refuse(ticket, error, REFUSALS_MAX, by).catch((fault: unknown) => {
			room.log.warn("the refusal of an upload could not be noted", { ticket: ticket.id, cause: fault });
		});
		throw cause.code === "quota_exceeded" ? full(cause) : cause;
	}
}

/** Whose limit it is, and nothing of the plan and its numbers: the bearer of a ticket may be anybody. */
function full(cause: Failure): Failure {
	if (!(cause instanceof UserIsFull)) return new Failure("quota_exceeded");
	return Failure.saying(
		"quota_exceeded",
		"This user has no room left for this image in this App; delete images, or get more room there.",
	);
}

const WORDS: Partial<Record<FailureCode, string>> = {
	state_conflict: "This ticket was cancelled meanwhile.",
	idempotency_key_conflict: "This ticket was used with another file; ask for a new one.",
	idempotency_key_in_progress: "An upload with this ticket is still running.",
	idempotency_recovery_conflict: "The image that this ticket made was deleted or moved.",
};

/** What is said of an Idempotency-Key, said of a ticket. */
function inWords(cause: unknown): unknown {
	if (!(cause instanceof Failure) || cause.details !== undefined) return cause;
	const message = WORDS[cause.code];
	if (message === undefined) return cause;
	const { retryAfterSeconds } = cause;
	return new Failure(cause.code, undefined, { cause, message, ...(retryAfterSeconds && { retryAfterSeconds }) });
}

function ended(message: string): Failure {
	return Failure.saying("state_conflict", message);
}
