import type { Actor } from "@svc/base/actor";
import type { AccountStatus, Locale, SessionKind } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";

const NOUNS = ["apps", "keys", "users", "plans", "images", "events", "audit", "moderation", "operator"] as const;

/** Shows the tool that deletes to a program that speaks MCP; what the token may do to images is said by `images:write` alone. */
const DELETING = "images:delete";

/** Takes all of an App elsewhere: no other scope includes it. */
const MOVING = "moves:write";

/** The permission of a token; a session may do everything that its account may. */
export type Scope = `${(typeof NOUNS)[number]}:${"read" | "write"}` | typeof DELETING | typeof MOVING;

export const SCOPES: readonly Scope[] = [
	...NOUNS.flatMap(
		(noun): Scope[] => [`${noun}:read`, `${noun}:write`, ...(noun === "images" ? [DELETING] : [])] as Scope[],
	),
	MOVING,
];

export interface Account {
	readonly pk: number;
	readonly id: string;
	readonly email: string;
	readonly verified: boolean;
	readonly operator: boolean;
	/** The language that the person has chosen; null: the browser's. */
	readonly locale: Locale | null;
	readonly status: AccountStatus;
	readonly createdMs: number;
}

/** A person's credential: a browser's session on the hosted pages, a console's, or a named token. */
export interface Session {
	readonly id: string;
	readonly kind: SessionKind;
	readonly name: string | null;
	/** A token may be bound to one App. */
	readonly appPk: number | null;
	readonly appId: string | null;
	/** Null: everything that the account may do. */
	readonly scopes: ReadonlySet<Scope> | null;
	readonly device: string | null;
	/** JSON: what the next page says has been done. */
	readonly notice: string | null;
	/** The network that it was begun in, as `192.0.2.0/24`; null for a token, and for a session of an earlier release. */
	readonly network: string | null;
	/** The time until which the session counts as confirmed by a code to the address that the account has. */
	readonly freshMs: number | null;
	/** When it ends; a session sooner than its last day where nobody uses it. */
	readonly expiresMs: number;
	readonly lastUsedMs: number | null;
	readonly createdMs: number;
}

/** The signed-in person, and the session or token that they use. */
export interface Person {
	readonly account: Account;
	readonly session: Session;
}

/** @throws Failure forbidden naming the scope that the token lacks */
export function requireScope({ session }: Person, needed: Scope): void {
	if (hasScope(session.scopes, needed)) return;
	throw Failure.saying("forbidden", `This token lacks the scope ${needed}.`);
}

/** For one noun, `write` includes `read`. */
export function hasScope(scopes: ReadonlySet<Scope> | null, needed: Scope): boolean {
	return scopes === null || scopes.has(needed) || scopes.has(needed.replace(":read", ":write") as Scope);
}

/** What concerns the account itself is no token's: whoever stole one would outlive its end. @throws Failure forbidden under `session` */
export function requireSession({ session }: Person): void {
	if (session.kind !== "pat") return;
	const needed = "must be a session, which a code makes (POST /v1/sessions/login); a token cannot do this";
	throw new Failure("forbidden", { session: [needed] }, { message: "A token cannot do this: sign in with a code." });
}

/** @throws Failure forbidden for a person who is no operator, and for an operator's token that is bound to one App */
export function requireOperator(person: Person, needed: Scope): void {
	if (!person.account.operator) {
		throw Failure.saying("forbidden", "Only an operator of this service can do this.");
	}
	// A token that is bound to one App reaches no other, even if an operator made it.
	if (person.session.appPk !== null) {
		throw Failure.saying("forbidden", "This token is bound to one App; operators need one that is not.");
	}
	requireScope(person, needed);
}

/**
 * Required before what a thief of a session must not do; a token needs its scope, which a fresh session gave it. Comes after all that
 * refuses the call anyhow; where that is only known at the commit, `freshSteps` is the last of its conditions.
 * @throws Failure forbidden under `session`
 */
export function requireFresh({ session }: Person, nowMs: number): void {
	if (session.kind !== "pat" && (session.freshMs ?? 0) <= nowMs) throw stale();
}

/** For a change that the session which asked was not fresh enough for. */
export function stale(): Failure {
	const needed =
		"must be fresh: POST /v1/sessions/step-up mails a code to your address, which makes it fresh for 15 minutes";
	return new Failure("forbidden", { session: [needed] }, { message: "Confirm that it is you first." });
}

/** The author of a person's changes, for the audit and for what needs a fresh session. */
export function actorOf({ account, session }: Person, requestId: string, nowMs: number): Actor {
	return { actor: account.id, requestId, nowMs, session: session.kind === "pat" ? undefined : session.id };
}
