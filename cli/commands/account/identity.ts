import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import type { Account, Key, Session, Token } from "@svc/sdk/shapes";
import { type Column, fields } from "../../kit/output/table.ts";
import { isSession } from "../../profile/profile.ts";

/** The session or token of a signed-in person. */
type SignIn = Session | Token;

interface Person {
	readonly account: Account;
	/** Null where it is not known which of the person's sessions is in use. */
	readonly session: SignIn | null;
}

interface Context {
	readonly base_url: string;
	readonly source: string;
	/** Null where no person is signed in. */
	readonly account: Account | null;
	readonly session: SignIn | null;
}

/** The key, or the account where there is none, and who is signed in beside it. */
export type Identity = (Key | Account) & Context;

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const IDENTITY_COLUMNS: readonly Column<Identity>[] = [
	...fields("id"),
	{ name: "name", value: (identity) => keyOf(identity)?.name },
	{
		name: "key",
		value: (identity) => {
			const key = keyOf(identity);
			return key && `${key.prefix}…${key.last4}`;
		},
	},
	{ name: "reach", value: (identity) => keyOf(identity)?.reach },
	{ name: "permissions", value: (identity) => keyOf(identity)?.permissions.join(",") },
	{ name: "app", value: (identity) => keyOf(identity)?.app.id },
	{ name: "app_name", value: (identity) => keyOf(identity)?.app.name },
	{ name: "expires_at", value: (identity) => keyOf(identity) && (keyOf(identity)?.expires_at ?? "never") },
	...fields("base_url", "source"),
	{ name: "email", value: ({ account }) => account?.email },
	{ name: "operator", value: ({ account }) => account?.operator },
	{ name: "session", value: ({ session }) => session?.id },
	{ name: "scopes", value: ({ session }) => scopesOf(session) },
	{ name: "session_expires_at", value: ({ session }) => session?.expires_at },
];

/** Leaves out empty columns; for people only, since a pipe's columns stay where they are. */
export function columnsFor(identity: Identity): readonly Column<Identity>[] {
	return IDENTITY_COLUMNS.filter(({ value }) => value(identity) !== undefined);
}

/** The person who is signed in; undefined when the sign-in has ended. */
export async function findPerson(
	management: Management,
	{ token, session }: { readonly token: string; readonly session: string | undefined },
	signal: AbortSignal,
): Promise<Person | undefined> {
	try {
		const account = await management.me.get({ signal });
		return {
			account,
			session: await (isSession(token) ? ownSession(management, session, signal) : ownToken(management, signal)),
		};
	} catch (error) {
		if (error instanceof ApiError && error.status === 401) return undefined;
		throw error;
	}
}

async function ownSession(management: Management, id: string | undefined, signal: AbortSignal): Promise<SignIn | null> {
	if (id === undefined) return null;
	for await (const session of management.sessions.all({ signal })) {
		if (session.id === id) return session;
	}
	return null;
}

/** The token that is in use. */
export async function ownToken(management: Management, signal: AbortSignal): Promise<Token | null> {
	// A token sees itself and those that it made, newest first: the last one is itself.
	const { data } = await management.tokens.list({ limit: 100, signal });
	return data.at(-1) ?? null;
}

function keyOf(identity: Identity): Key | undefined {
	return identity.object === "key" ? identity : undefined;
}

function scopesOf(session: SignIn | null): string | undefined {
	return session?.object === "token" ? session.scopes.join(",") : undefined;
}
