import type { Actor } from "@svc/base/actor";
import { mintSecret } from "@svc/base/crypto/secrets";
import type { SignInKind } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { networkOf, networkRange } from "@svc/base/http/network";
import { isId, newId } from "@svc/base/ids";
import { type Person, requireSession } from "./people.ts";
import type { People } from "./room.ts";
import type { EndedSessions, ListedSession, NewSession, SessionPage } from "./session.ts";

/** Where somebody signs in from. */
interface SignInPlace {
	readonly kind: SignInKind;
	/** The client's description of itself. */
	readonly device: string;
	/** Network address. */
	readonly address: string;
}

const MINUTE_MS = 60_000;
/** However much it is used; a session that nobody uses ends sooner (people-store.ts). */
const SESSION_MS = 90 * 24 * 60 * MINUTE_MS;
/** How long a session stays fresh. */
export const FRESH_MS = 15 * MINUTE_MS;

/** A session with a secret of its own, which is kept as a hash: one that was planted in a browser before is useless. */
export async function newSession(
	room: Pick<People, "nameMac">,
	{ kind, device, address }: SignInPlace,
	nowMs: number,
): Promise<{ readonly secret: string; readonly session: NewSession }> {
	const { secret, hash } = await mintSecret("svc_ses_");
	const session = {
		id: newId("ses"),
		hash,
		kind,
		device,
		addressMac: await room.nameMac("address", networkOf(address)),
		network: networkRange(address),
		freshMs: nowMs + FRESH_MS,
		expiresMs: nowMs + SESSION_MS,
	};
	return { secret, session };
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
): Promise<EndedSessions> {
	requireSession(person);
	return await room.sessions.endOthers(person, keepTokens, by);
}
