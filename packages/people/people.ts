import type { AccountStatus, SessionKind } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { hashSecret } from "@svc/base/secrets";
import type { People } from "./room.ts";

const NOUNS = ["apps", "keys", "users", "plans", "images", "audit", "moderation", "operator"] as const;

/** The permission of a token; a session may do everything that its account may. */
export type Scope = `${(typeof NOUNS)[number]}:${"read" | "write"}`;

export const SCOPES: readonly Scope[] = NOUNS.flatMap((noun): Scope[] => [`${noun}:read`, `${noun}:write`]);

export interface Account {
	readonly pk: number;
	readonly id: string;
	readonly email: string;
	readonly verified: boolean;
	readonly operator: boolean;
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
	/** The time until which the session counts as confirmed by an e-mail code. */
	readonly freshMs: number | null;
	readonly expiresMs: number;
	readonly lastUsedMs: number | null;
	readonly createdMs: number;
}

/** The signed-in person, and the session or token that they use. */
export interface Person {
	readonly account: Account;
	readonly session: Session;
}

/** Whether a secret belongs to a person rather than an App. */
export function isPersonal(secret: string): boolean {
	return secret.startsWith("svc_ses_") || secret.startsWith("svc_pat_");
}

/** @throws Failure unauthorized for a secret that is unknown, revoked, expired, or of an account that may not sign in any more */
export async function identifyPerson(room: People, secret: string): Promise<Person> {
	const now = room.clock.now();
	const person = await room.store.findPerson(await hashSecret(secret), now);
	if (!person) throw signIn();
	room.store.touch(person.session.id, now);
	return person;
}

function signIn(): Failure {
	const message =
		"Sign in: send a session (svc_ses_…) or a token (svc_pat_…) that is known, unexpired and not revoked.";
	return Failure.saying("unauthorized", message);
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

/** Tokens must never change the account's identity. @throws Failure forbidden */
export function requireSession({ session }: Person): void {
	if (session.kind !== "pat") return;
	throw Failure.saying("forbidden", "A token cannot do this; sign in with an e-mail code.");
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

/** Required before irreversible actions: a session needs a fresh e-mail code, a token its scope. @throws Failure forbidden */
export function requireFresh({ session }: Person, nowMs: number): void {
	if (session.kind === "pat" || (session.freshMs ?? 0) > nowMs) return;
	throw Failure.saying(
		"forbidden",
		"Confirm that it is you first: POST /v1/sessions/step-up sends a code, which makes this session fresh.",
	);
}
