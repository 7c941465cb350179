import type { Actor } from "@svc/base/actor";
import { mintSecret } from "@svc/base/crypto/secrets";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { newLetter, originOf } from "@svc/people/letters/security-letters";
import { type Person, requireSession, type Scope, stale } from "@svc/people/people";
import type { ListedSession, SessionPage } from "@svc/people/session";
import type { Apps } from "./room.ts";
import { getMembership } from "./team/team.ts";

/* Personal access tokens. A token sees and revokes itself alone, and those of its family that an earlier release let it make. */

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

/**
 * A token makes no tokens: whoever stole one would outlive its end.
 * @throws Failure forbidden for a token, and for a session that is not fresh; validation_error under `app`, or `name` when the account
 * holds too many; unauthorized when the maker has ended meanwhile
 */
export async function createToken(room: Apps, maker: Person, asked: TokenRequest, by: Actor): Promise<MintedToken> {
	requireSession(maker);
	const scopes = [...new Set(asked.scopes)].sort();
	const app = await appOf(room, maker, asked.appId);
	const expiresMs = by.nowMs + asked.ttlSeconds * 1_000;
	const { secret, hash } = await mintSecret("svc_pat_");
	const id = newId("tok");
	const kept = { id, hash, name: asked.name, appPk: app?.pk ?? null, scopes: scopes.join(" "), expiresMs };
	const about = { deed: "token", subject: id, name: asked.name, origin: originOf(maker) } as const;
	const letter = await newLetter(room.people, maker.account, about, by.nowMs);
	const refused = await room.people.sessions.createToken(maker, kept, TOKENS_MAX, [letter], by);
	if (refused === "gone") throw new Failure("unauthorized");
	if (refused === "stale") throw stale();
	if (refused === "full") throw invalid("name", `cannot be given: an account holds at most ${TOKENS_MAX} tokens`);
	const person = await room.people.sessions.find(id, by.nowMs);
	if (!person) throw new Failure("unauthorized");
	return { token: { ...person.session, pk: person.session.createdMs }, secret };
}

async function appOf(room: Apps, maker: Person, appId: string | undefined): Promise<{ pk: number } | undefined> {
	if (appId === undefined) return undefined;
	try {
		return (await getMembership(room, maker, appId)).app;
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "not_found")
			throw invalid("app", "must be the id of an App that you have a part in");
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
