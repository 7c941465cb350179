import type { By } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import { type Person, requireSession } from "./people.ts";
import type { ListedSession, SessionPage, SessionStore } from "./ports-sign-in.ts";

export interface SessionDeps {
	readonly sessions: SessionStore;
	readonly clock: Clock;
}

/** One's own, newest first, without those that have ended. @throws Failure forbidden for a token */
export async function listSessions(
	deps: SessionDeps,
	person: Person,
	page: Omit<SessionPage, "within">,
): Promise<readonly ListedSession[]> {
	requireSession(person);
	return await deps.sessions.list(person.account.pk, "sessions", page, deps.clock.now());
}

/**
 * Ends one of one's own sessions, at once; `current` is the one that asks.
 * @returns its id
 * @throws Failure forbidden for a token, not_found
 */
export async function endSession(deps: SessionDeps, person: Person, named: string, by: By): Promise<string> {
	requireSession(person);
	const id = named === "current" ? person.session.id : named;
	const ended = isId("ses", id) && (await deps.sessions.revoke(person.account, "sessions", { id }, by));
	if (!ended) throw new Failure("not_found");
	return id;
}
