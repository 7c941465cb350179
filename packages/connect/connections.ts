import { newToken } from "@svc/base/crypto/macs";
import { hashSecret } from "@svc/base/crypto/secrets";
import { Failure } from "@svc/base/failure";
import { isId, newId, newTeamHash } from "@svc/base/ids";
import type { KeyAccess } from "@svc/keys/keys";
import type { Addressee, NewLetter, Origin } from "@svc/people/letters/security-letter";
import { newLetter } from "@svc/people/letters/security-letters";
import type { Account } from "@svc/people/people";
import type { Connect } from "./room.ts";

/* Connecting a person to an App (specification, "Hosted sign-in" and "Connection lifecycle"). */

const STATE_MAX = 512;
const CODE_LIFE_MS = 60_000;

export type ConnectFaultCode =
	| "missing_app"
	| "unknown_app"
	| "missing_redirect_uri"
	| "redirect_uri_not_registered"
	| "state_too_long"
	| "sign_in_disabled";

/** A request that must end on a page of ours: there is no address to redirect to. */
export class ConnectFault extends Error {
	override readonly name = "ConnectFault";
	readonly fault: ConnectFaultCode;

	constructor(fault: ConnectFaultCode) {
		super(fault);
		this.fault = fault;
	}
}

/** The parameters of a hosted sign-in; null where one was not sent. */
export interface ConnectRequest {
	readonly app: string | null;
	readonly redirectUri: string | null;
	readonly state: string | null;
}

export interface BegunConnect {
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	readonly redirectUri: string;
	readonly state: string | null;
	/** The App is paused or blocked: `error=temporarily_unavailable`. */
	readonly suspended: boolean;
}

/** @throws ConnectFault */
export async function beginConnect(room: Connect, request: ConnectRequest): Promise<BegunConnect> {
	const { app: appId, redirectUri, state } = request;
	if (!appId) throw new ConnectFault("missing_app");
	const app = isId("app", appId) ? await room.connections.findApp(appId, redirectUri ?? "") : undefined;
	if (!app) throw new ConnectFault("unknown_app");
	if (!redirectUri) throw new ConnectFault("missing_redirect_uri");
	if (!app.registered) throw new ConnectFault("redirect_uri_not_registered");
	if (state !== null && isLongState(state)) throw new ConnectFault("state_too_long");
	if (!app.signIn) throw new ConnectFault("sign_in_disabled");
	return { app: { pk: app.pk, id: app.id, name: app.name }, redirectUri, state, suspended: app.suspended };
}

/** Counted in code points; a text that is much too long is not counted. */
export function isLongState(state: string): boolean {
	return state.length > 2 * STATE_MAX || [...state].length > STATE_MAX;
}

export interface Connecting {
	readonly person: Pick<Account, "pk">;
	readonly appPk: number;
	readonly redirectUri: string;
	/** For the audit. */
	readonly requestId?: string | null;
	/** What the person is told of it in a letter; left out where this sign-in has just made their account. */
	readonly mailed?: {
		readonly to: Addressee;
		readonly app: { readonly id: string; readonly name: string };
		readonly origin: Origin;
	};
}

/** Connects, or renews a connection, and returns its code. @throws ConnectFault where the redirect URI is not registered any more */
export async function connect(
	room: Connect,
	wanted: Connecting,
): Promise<{ readonly code: string } | { readonly error: "access_denied" | "temporarily_unavailable" }> {
	const { code, facts } = await mintCode(room, wanted.person.pk, wanted);
	const refused = await room.connections.connect({
		...facts,
		letters: await lettersOf(room, wanted, facts.nowMs),
		connectionId: newId("con"),
		userId: newId("usr"),
		storageId: newId("sto"),
		teamHash: newTeamHash(),
		requestId: wanted.requestId ?? null,
	});
	if (refused === undefined) return { code };
	if (refused === "suspended") return { error: "temporarily_unavailable" };
	if (refused === "denied" || refused === "full") return { error: "access_denied" };
	throw new ConnectFault(refused);
}

/** Who is connected already only renews it. */
async function lettersOf(room: Connect, { mailed }: Connecting, nowMs: number): Promise<readonly NewLetter[]> {
	if (!mailed) return [];
	const { to, app, origin } = mailed;
	const known = await room.users.findConnection({ appId: app.id, accountPk: to.pk });
	if (known?.state === "connected") return [];
	const about = { deed: "app_connected", subject: app.id, app: app.name, origin } as const;
	return [await newLetter(room.people, to, about, nowMs)];
}

export interface ConnectingSilently {
	/** Null: no person is signed in. */
	readonly account: Pick<Account, "pk"> | null;
	readonly appPk: number;
	readonly redirectUri: string;
	/** The request in which the person said so by a button, for the audit; a browser that asks by itself has none. */
	readonly pressed?: { readonly requestId: string };
}

/** Whether `prompt=none` would give a code at this moment, as far as the person is concerned. */
export function isRenewable(room: Connect, account: Pick<Account, "pk">, appPk: number): Promise<boolean> {
	const { consentVersion } = room;
	return room.connections.isRenewable({ appPk, accountPk: account.pk, consentVersion });
}

/** `prompt=none`: renews nothing and only makes a code. @throws ConnectFault where the redirect URI is not registered any more */
export async function connectSilently(
	room: Connect,
	wanted: ConnectingSilently,
): Promise<
	{ readonly code: string } | { readonly error: "interaction_required" | "temporarily_unavailable" | "access_denied" }
> {
	const { code, facts } = await mintCode(room, wanted.account?.pk ?? null, wanted);
	const refused = await room.connections.reconnect({ ...facts, pressed: wanted.pressed });
	if (refused === undefined) return { code };
	if (refused === "suspended") return { error: "temporarily_unavailable" };
	if (refused === "denied") return { error: "access_denied" };
	if (refused === "interaction") return { error: "interaction_required" };
	throw new ConnectFault(refused);
}

async function mintCode<AccountPk extends number | null>(
	room: Connect,
	accountPk: AccountPk,
	{ appPk, redirectUri }: { readonly appPk: number; readonly redirectUri: string },
) {
	const code = newToken();
	const nowMs = room.clock.now();
	const codeHash = await hashSecret(code);
	const codeExpiresMs = nowMs + CODE_LIFE_MS;
	return {
		code,
		facts: { accountPk, appPk, redirectUri, consentVersion: room.consentVersion, codeHash, codeExpiresMs, nowMs },
	};
}

export interface AuthContext {
	readonly app: { readonly id: string; readonly name: string };
	readonly user: { readonly id: string; readonly email: string; readonly verified: boolean };
}

/** Spends a code for good. @throws Failure invalid_code, also for another App's code and for a person who is not connected by now */
export async function exchange(
	room: Connect,
	{ app }: KeyAccess,
	code: string,
	requestId: string,
): Promise<AuthContext> {
	const spent = { appPk: app.pk, codeHash: await hashSecret(code), nowMs: room.clock.now(), requestId };
	const user = await room.connections.exchange(spent);
	if (!user) throw new Failure("invalid_code");
	const { userId: id, email, verified } = user;
	return { app: { id: app.id, name: app.name }, user: { id, email, verified } };
}

/** Runs before the body is parsed. @throws Failure forbidden for a key that cannot select users */
export function requireAppWide({ key }: KeyAccess): void {
	if (key.reach === "app") return;
	throw Failure.saying(
		"forbidden",
		"This call needs an App-wide key with the read permission; this key reaches one storage only.",
	);
}

/** Adds parameters to a registered URI; its own query stays unchanged, byte for byte. Null values are left out. */
export function callbackUrl(redirectUri: string, params: Readonly<Record<string, string | null>>): string {
	const query = Object.entries(params)
		.filter((entry): entry is [string, string] => entry[1] !== null)
		.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
		.join("&");
	const joint = redirectUri.includes("?") ? (/[?&]$/.test(redirectUri) ? "" : "&") : "?";
	return `${redirectUri}${joint}${query}`;
}
