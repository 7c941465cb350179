import type { Actor } from "@svc/base/actor";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { mintSecret } from "@svc/base/secrets";
import { type Person, requireFresh, requireScope, type Scope } from "@svc/people/people";
import type { ListedSession, SessionPage } from "@svc/people/sessions";
import type { Apps } from "./room.ts";
import { getMembership } from "./team.ts";

/* Personal access tokens. A token sees only tokens in its own family: those that it made, and those that they made. */

export interface TokenRequest {
	readonly name: string;
	/** Id of the App that it is bound to; undefined for all Apps of the account. */
	readonly appId: string | undefined;
	readonly scopes: readonly Scope[];
	readonly ttlSeconds: number;
}

export interface MintedToken {
	readonly token: ListedSession;
	/** Shown once. */
	readonly secret: string;
}

const TOKENS_MAX = 100;
// A token with these scopes may do what a session needs a fresh code for.
const FRESH_SCOPES: readonly Scope[] = ["operator:write", "moderation:write"];

/**
 * A token can only make tokens within its own scopes, App and expiry.
 * @throws Failure forbidden for a scope that the maker lacks, or whose session is not fresh enough for it; validation_error under
 * `app`, `expires_in`, or `name` when the account holds too many; unauthorized when the maker has ended meanwhile
 */
export async function createToken(room: Apps, maker: Person, asked: TokenRequest, by: Actor): Promise<MintedToken> {
	const scopes = [...new Set(asked.scopes)].sort();
	for (const scope of scopes) requireScope(maker, scope);
	if (scopes.some((scope) => FRESH_SCOPES.includes(scope))) requireFresh(maker, by.nowMs);
	const app = await appOf(room, maker, asked.appId);
	const expiresMs = by.nowMs + asked.ttlSeconds * 1_000;
	if (maker.session.kind === "pat" && expiresMs > maker.session.expiresMs)
		throw invalid("expires_in", "must not outlast the token that makes this one");
	const { secret, hash } = await mintSecret("svc_pat_");
	const id = newId("tok");
	const kept = { id, hash, name: asked.name, appPk: app?.pk ?? null, scopes: scopes.join(" "), expiresMs };
	const refused = await room.people.sessions.createToken(maker, kept, TOKENS_MAX, by);
	if (refused === "gone") throw new Failure("unauthorized");
	if (refused === "full") throw invalid("name", `cannot be given: an account holds at most ${TOKENS_MAX} tokens`);
	const person = await room.people.sessions.find(id, by.nowMs);
	if (!person) throw new Failure("unauthorized");
	return { token: { ...person.session, pk: person.session.createdMs }, secret };
}

/** A token that is bound to an App binds the tokens that it makes. */
async function appOf(room: Apps, maker: Person, appId: string | undefined): Promise<{ pk: number } | undefined> {
	const bound = maker.session.appPk;
	if (appId === undefined) return bound === null ? undefined : { pk: bound };
	try {
		return (await getMembership(room, maker, appId)).app;
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "not_found")
			throw invalid("app", "must be the id of an App that you, and the token that you use, have a part in");
		throw cause;
	}
}

/** Lists tokens newest first, without those that have ended. */
export async function listTokens(
	room: Apps,
	person: Person,
	page: Omit<SessionPage, "within">,
): Promise<readonly ListedSession[]> {
	const now = room.clock.now();
	return await room.people.sessions.list(person.account.pk, "tokens", { ...page, within: reachOf(person) }, now);
}

/** Revokes a token and all tokens that it made. @throws Failure not_found */
export async function revokeToken(room: Apps, person: Person, id: string, by: Actor): Promise<void> {
	const named = { id, within: reachOf(person) };
	const revoked = isId("tok", id) && (await room.people.sessions.revoke(person.account, "tokens", named, by));
	if (!revoked) throw new Failure("not_found");
}

function reachOf({ session }: Person): string | undefined {
	return session.kind === "pat" ? session.id : undefined;
}
