import type { Actor } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { type Person, requireSession, type Session } from "./people.ts";
import type { People } from "./room.ts";

/** A session or token in a list. */
export interface ListedSession extends Session {
	/** Its place in lists of one account: milliseconds since 1970. */
	readonly pk: number;
}

export interface SessionPage {
	readonly limit: number;
	readonly beforePk?: number | undefined;
	/** Limits the list to this token and its family: tokens that it made, and so on. */
	readonly within?: string | undefined;
}

/** How many were ended. */
export interface Ended {
	readonly sessions: number;
	readonly tokens: number;
}

export interface NewToken {
	readonly id: string;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly name: string;
	readonly appPk: number | null;
	readonly scopes: string;
	readonly expiresMs: number;
}

/** The account's sessions, newest first, without those that have ended. @throws Failure forbidden for a token */
export async function listSessions(
	room: People,
	person: Person,
	page: Omit<SessionPage, "within">,
): Promise<readonly ListedSession[]> {
	requireSession(person);
	return await room.sessions.list(person.account.pk, "sessions", page, room.clock.now());
}

/**
 * Ends one of the account's sessions at once; `current` names the caller's own.
 * @returns its id
 * @throws Failure forbidden for a token, not_found
 */
export async function endSession(room: People, person: Person, named: string, by: Actor): Promise<string> {
	requireSession(person);
	const id = named === "current" ? person.session.id : named;
	const ended = isId("ses", id) && (await room.sessions.revoke(person.account, "sessions", { id }, by));
	if (!ended) throw new Failure("not_found");
	return id;
}

/**
 * Ends every session of the account but the caller's own, and every token unless they are kept.
 * @throws Failure forbidden for a token
 */
export async function endOtherSessions(
	room: People,
	person: Person,
	{ keepTokens }: { readonly keepTokens: boolean },
	by: Actor,
): Promise<Ended> {
	requireSession(person);
	return await room.sessions.endOthers(person, keepTokens, by);
}
