import type { Actor } from "@svc/base/actor";
import { foldEmail } from "@svc/base/email";
import { Failure } from "@svc/base/failure";
import { startDisconnect } from "@svc/connect/disconnect";
import { createUserKey, listUserKeys, READS, revokeUserKey, type UserKeyPlace } from "@svc/connect/user-keys";
import { listConnections, type OwnConnection } from "@svc/connect/users";
import { deleteAccount } from "@svc/erasure/close-account";
import { actorOf, type Person } from "@svc/people/people";
import { endSession, listSessions } from "@svc/people/sessions";
import { type Keyring, keysPage } from "../connect/key-pages.tsx";
import { type FormFields, formToken, readForm, requireToken } from "../kit/form.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, type PageResult, Refusal, type Route, redirect, type Visit } from "../kit/visit.ts";
import { accountPage, disconnectPage } from "./account-pages.tsx";
import { accountSignInRoutes, askEmail } from "./account-sign-in.ts";
import { deletedPage, deletePage } from "./delete-pages.tsx";
import { findSignedIn } from "./signed-in.ts";

/* What people decide over their own images: which Apps keep some, who reads them, and whether any are kept at all. */

export function accountRoutes(rooms: PagesRooms): Route[] {
	const signedIn = (run: (call: AccountCall) => Promise<PageResult>) => (visit: Visit) => look(rooms, visit, run);
	const posted = (run: (call: AccountPost) => Promise<PageResult>) => (visit: Visit) => change(rooms, visit, run);
	const app = "/account/apps/:app";
	const keysOf = (path: string, find: (call: AccountCall) => Promise<Keyring>): Route[] => [
		{
			path,
			get: signedIn(async (call) => keys(call, await find(call))),
			post: posted(async (call) => makeKey(call, await find(call))),
		},
		{ path: `${path}/:key/revoke`, post: posted(async (call) => revokeKey(call, await find(call))) },
	];
	return [
		...accountSignInRoutes(rooms),
		{ path: "/account", get: signedIn(overview) },
		{ path: "/account/sign-out", post: posted(signOut) },
		{ path: "/account/sign-out-others", post: posted(signOutOthers) },
		{ path: `${app}/disconnect`, get: signedIn(askDisconnect), post: posted(disconnect) },
		...keysOf(`${app}/keys`, findAppKeyring),
		...rooms.variant.storages.keyrings.flatMap((keyring) => keysOf(keyring.path, async () => keyring)),
		{ path: "/account/delete", get: signedIn((call) => askDelete(call)), post: posted(erase) },
		{ path: "/account/deleted", get: async () => deletedPage() },
	];
}

interface AccountCall {
	readonly rooms: PagesRooms;
	readonly visit: Visit;
	readonly person: Person;
	/** A token for forms on the page, bound to the session: a form from before a sign-out does nothing. */
	readonly token: string;
	/** The account and request that the audit logs. */
	readonly by: Actor;
}

interface AccountPost extends AccountCall {
	readonly form: FormFields;
}

async function look(
	rooms: PagesRooms,
	visit: Visit,
	run: (call: AccountCall) => Promise<PageResult>,
): Promise<PageResult> {
	const call = await callOf(rooms, visit);
	return call ? run(call) : askEmail(rooms, visit, "");
}

async function change(
	rooms: PagesRooms,
	visit: Visit,
	run: (call: AccountPost) => Promise<PageResult>,
): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const call = await callOf(rooms, visit);
	if (!call) {
		throw new Refusal(403, "You are signed out", "Sign in again, then repeat what you wanted. Nothing was done.", {
			again: { href: "/account", label: "Sign in" },
		});
	}
	await requireToken(form, visit.cookies.read("session"), "/account");
	return await run({ ...call, form });
}

async function callOf(rooms: PagesRooms, visit: Visit): Promise<AccountCall | undefined> {
	const person = await findSignedIn(rooms, visit);
	if (!person) return undefined;
	const token = await formToken(visit.cookies.read("session") ?? "");
	const by = actorOf(person, visit.requestId, rooms.clock.now());
	return { rooms, visit, person, token, by };
}

const NOTICES: Readonly<Record<string, string>> = {
	disconnected: "Disconnected. Your pictures there are being deleted.",
	"signed-out-others": "You are signed out everywhere else.",
	revoked: "The key is revoked: it no longer reads anything.",
	"revoked-own": "The key is revoked: it no longer reads or writes anything.",
};

/** The action that was just done, as the redirect after it says. */
function noticeOf({ url }: Visit): string | undefined {
	const done = url.searchParams.get("done") ?? "";
	return Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
}

async function overview({ rooms, visit, person, token }: AccountCall): Promise<Page> {
	const [connections, sessions, own] = await Promise.all([
		listConnections(rooms.connect, person.account),
		listSessions(rooms.people, person, { limit: SESSIONS_SHOWN }),
		rooms.variant.storages.find(rooms.connect, person.account),
	]);
	const { email } = person.account;
	const current = person.session.id;
	const planPath = rooms.variant.billing.card.ownPath;
	return accountPage({ email, token, connections, own, planPath, sessions, current, notice: noticeOf(visit) });
}

const SESSIONS_SHOWN = 100;

async function signOut({ rooms, visit, person, by }: AccountPost): Promise<PageResult> {
	await endSession(rooms.people, person, "current", by);
	visit.cookies.clear("session");
	return redirect("/account");
}

async function signOutOthers({ rooms, person, by }: AccountPost): Promise<PageResult> {
	for (const { id } of await listSessions(rooms.people, person, { limit: SESSIONS_SHOWN })) {
		if (id !== person.session.id) await endSession(rooms.people, person, id, by).catch(unlessEnded);
	}
	return redirect("/account?done=signed-out-others");
}

/** A session or key that another tab ended first is no error. */
function unlessEnded(cause: unknown): void {
	if (!(cause instanceof Failure) || cause.code !== "not_found") throw cause;
}

/** @throws Failure not_found for an App that one is not connected to */
async function getConnection({ rooms, visit, person }: AccountCall): Promise<OwnConnection> {
	const connections = await listConnections(rooms.connect, person.account);
	const found = connections.find(({ app, state }) => app.id === visit.params.app && state === "connected");
	if (!found) throw new Failure("not_found");
	return found;
}

async function askDisconnect(call: AccountCall): Promise<Page> {
	return disconnectPage(await getConnection(call), call.token);
}

async function disconnect(call: AccountPost): Promise<PageResult> {
	const { rooms, person, by } = call;
	const { app } = await getConnection(call);
	const connection = { appId: app.id, accountPk: person.account.pk };
	await startDisconnect(rooms.connect, { connection, startedBy: person.account.id, by });
	return redirect("/account?done=disconnected");
}

async function findAppKeyring(call: AccountCall): Promise<Keyring> {
	const { app } = await getConnection(call);
	return { path: `/account/apps/${app.id}/keys`, app };
}

function placeOf({ person }: AccountCall, { app }: Keyring): UserKeyPlace {
	return { account: person.account, appId: app?.id ?? null };
}

async function keys(
	call: AccountCall,
	keyring: Keyring,
	said: Partial<Parameters<typeof keysPage>[0]> = {},
): Promise<Page> {
	const all = await listUserKeys(call.rooms.connect, placeOf(call, keyring));
	const { nowMs } = call.by;
	const working = all.filter(({ revokedMs, expiresMs }) => revokedMs === null && (expiresMs ?? nowMs + 1) > nowMs);
	return keysPage({ keyring, keys: working, token: call.token, notice: noticeOf(call.visit), ...said });
}

const KEY_NAME_MAX = 100;

async function makeKey(call: AccountPost, keyring: Keyring): Promise<Page> {
	const { rooms, form, by } = call;
	const name = (form.get("name") ?? "").trim();
	if (name === "" || [...name].length > KEY_NAME_MAX) {
		return keys(call, keyring, { name, fault: `Give it a name of 1 to ${KEY_NAME_MAX} characters.`, status: 422 });
	}
	// The key can only read, unless the person has chosen writing as well.
	const writes = keyring.app === null && form.get("may") === "write";
	const request = { ...READS, name, ...(writes && { permissions: new Set(["read", "write"] as const) }) };
	try {
		const { key, secret } = await createUserKey(rooms.connect, placeOf(call, keyring), request, by);
		return await keys(call, keyring, { made: { name: key.name, secret } });
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "validation_error") throw cause;
		const fault = "You hold as many keys here as there may be. Revoke one first.";
		return keys(call, keyring, { name, fault, status: 422 });
	}
}

async function revokeKey(call: AccountPost, keyring: Keyring): Promise<PageResult> {
	await revokeUserKey(call.rooms.connect, placeOf(call, keyring), call.visit.params.key ?? "", call.by);
	return redirect(`${keyring.path}?done=${keyring.app === null ? "revoked-own" : "revoked"}`);
}

async function askDelete(
	{ rooms, person, token }: AccountCall,
	said: Partial<Parameters<typeof deletePage>[0]> = {},
): Promise<Page> {
	const [connections, own] = await Promise.all([
		listConnections(rooms.connect, person.account),
		rooms.variant.storages.find(rooms.connect, person.account),
	]);
	const connected = connections.filter(({ state }) => state === "connected");
	return deletePage({ email: person.account.email, token, connections: connected, own, ...said });
}

async function erase(call: AccountPost): Promise<PageResult> {
	const { rooms, visit, person, form, by } = call;
	if (foldEmail((form.get("email") ?? "").trim()) !== foldEmail(person.account.email)) {
		return askDelete(call, { fault: "This is not the address of this account.", status: 422 });
	}
	try {
		await deleteAccount(rooms.erasure, person, by);
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "state_conflict") throw cause;
		return askDelete(call, { obstacle: cause.message, status: 409 });
	}
	visit.cookies.clear("session");
	return redirect("/account/deleted");
}
