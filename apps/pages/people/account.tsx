import type { By } from "@svc/base/actor";
import { foldEmail } from "@svc/base/email";
import { Failure } from "@svc/base/failure";
import { startDisconnect } from "@svc/connect/disconnect";
import { createUserKey, listUserKeys, READS, revokeUserKey, type UserKeyPlace } from "@svc/connect/user-keys";
import { findOwnStorage, listConnections, type OwnConnection, type OwnStorage } from "@svc/connect/users";
import { deleteAccount } from "@svc/erasure/close-account";
import type { Person } from "@svc/people/people";
import { endSession, listSessions } from "@svc/people/sessions";
import { type Keyring, keysPage } from "../connect/key-pages.tsx";
import type { PagesDeps } from "../kit/deps.ts";
import { type Form, formToken, readForm, requireToken } from "../kit/form.ts";
import type { Route } from "../kit/routes.ts";
import { type Outcome, type Page, Refusal, redirect, type Visit } from "../kit/visit.ts";
import { accountPage, disconnectPage } from "./account-pages.tsx";
import { accountSignInRoutes, askEmail } from "./account-sign-in.ts";
import { deletedPage, deletePage } from "./delete-pages.tsx";
import { findSignedIn } from "./sign-in.ts";

/* What people decide over their own pictures: which Apps keep some, who reads them, and whether any are kept at all. */

export function accountRoutes(deps: PagesDeps): Route[] {
	const signedIn = (run: (call: AccountCall) => Promise<Outcome>) => (visit: Visit) => look(deps, visit, run);
	const posted = (run: (call: AccountPost) => Promise<Outcome>) => (visit: Visit) => change(deps, visit, run);
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
		...accountSignInRoutes(deps),
		{ path: "/account", get: signedIn(overview) },
		{ path: "/account/sign-out", post: posted(signOut) },
		{ path: "/account/sign-out-others", post: posted(signOutOthers) },
		{ path: `${app}/disconnect`, get: signedIn(askDisconnect), post: posted(disconnect) },
		...keysOf(`${app}/keys`, findAppKeyring),
		...(deps.variant.access.personalStorages ? keysOf(OWN_KEYRING.path, async () => OWN_KEYRING) : []),
		{ path: "/account/delete", get: signedIn((call) => askDelete(call)), post: posted(erase) },
		{ path: "/account/deleted", get: async () => deletedPage() },
	];
}

interface AccountCall {
	readonly deps: PagesDeps;
	readonly visit: Visit;
	readonly person: Person;
	/** For forms on the page: bound to the session, so that one from before a sign-out does nothing. */
	readonly token: string;
	/** For the audit. */
	readonly by: By;
}

interface AccountPost extends AccountCall {
	readonly form: Form;
}

async function look(deps: PagesDeps, visit: Visit, run: (call: AccountCall) => Promise<Outcome>): Promise<Outcome> {
	const call = await callOf(deps, visit);
	return call ? run(call) : askEmail(deps, visit, "");
}

async function change(deps: PagesDeps, visit: Visit, run: (call: AccountPost) => Promise<Outcome>): Promise<Outcome> {
	const form = await readForm(visit, deps.addresses);
	const call = await callOf(deps, visit);
	if (!call) {
		throw new Refusal(403, "You are signed out", "Sign in again, then repeat what you wanted. Nothing was done.", {
			again: { href: "/account", label: "Sign in" },
		});
	}
	await requireToken(form, visit.cookies.read("session"), "/account");
	return await run({ ...call, form });
}

async function callOf(deps: PagesDeps, visit: Visit): Promise<AccountCall | undefined> {
	const person = await findSignedIn(deps, visit);
	if (!person) return undefined;
	const token = await formToken(visit.cookies.read("session") ?? "");
	const by = { actor: person.account.id, requestId: visit.requestId, nowMs: deps.clock.now() };
	return { deps, visit, person, token, by };
}

const NOTICES: Readonly<Record<string, string>> = {
	disconnected: "Disconnected. Your pictures there are being deleted.",
	"signed-out-others": "You are signed out everywhere else.",
	revoked: "The key is revoked: it no longer reads anything.",
	"revoked-own": "The key is revoked: it no longer reads or writes anything.",
};

/** What was just done, as the redirect after it says. */
function noticeOf({ url }: Visit): string | undefined {
	const done = url.searchParams.get("done") ?? "";
	return Object.hasOwn(NOTICES, done) ? NOTICES[done] : undefined;
}

async function overview({ deps, visit, person, token }: AccountCall): Promise<Page> {
	const [connections, sessions, own] = await Promise.all([
		listConnections(deps, person.account),
		listSessions(deps, person, { limit: SESSIONS_SHOWN }),
		findOwn(deps, person),
	]);
	const { email } = person.account;
	const current = person.session.id;
	const plans = deps.variant.billing.sellsTiers;
	return accountPage({ email, token, connections, own, plans, sessions, current, notice: noticeOf(visit) });
}

/** Empty before the first key has made it; undefined where people have none. */
async function findOwn(deps: PagesDeps, { account }: Person): Promise<OwnStorage | undefined> {
	if (!deps.variant.access.personalStorages) return undefined;
	return (await findOwnStorage(deps, account)) ?? { images: 0, bytes: 0 };
}

const SESSIONS_SHOWN = 100;

async function signOut({ deps, visit, person, by }: AccountPost): Promise<Outcome> {
	await endSession(deps, person, "current", by);
	visit.cookies.clear("session");
	return redirect("/account");
}

async function signOutOthers({ deps, person, by }: AccountPost): Promise<Outcome> {
	for (const { id } of await listSessions(deps, person, { limit: SESSIONS_SHOWN })) {
		if (id !== person.session.id) await endSession(deps, person, id, by).catch(unlessEnded);
	}
	return redirect("/account?done=signed-out-others");
}

/** Another tab was faster. */
function unlessEnded(cause: unknown): void {
	if (!(cause instanceof Failure) || cause.code !== "not_found") throw cause;
}

/** @throws Failure not_found for an App that one is not connected to */
async function getConnection({ deps, visit, person }: AccountCall): Promise<OwnConnection> {
	const connections = await listConnections(deps, person.account);
	const found = connections.find(({ app, state }) => app.id === visit.params.app && state === "connected");
	if (!found) throw new Failure("not_found");
	return found;
}

async function askDisconnect(call: AccountCall): Promise<Page> {
	return disconnectPage(await getConnection(call), call.token);
}

async function disconnect(call: AccountPost): Promise<Outcome> {
	const { deps, person, by } = call;
	const { app } = await getConnection(call);
	const connection = { appId: app.id, accountPk: person.account.pk };
	await startDisconnect(deps, { connection, startedBy: person.account.id, by });
	return redirect("/account?done=disconnected");
}

async function findAppKeyring(call: AccountCall): Promise<Keyring> {
	const { app } = await getConnection(call);
	return { path: `/account/apps/${app.id}/keys`, app };
}

const OWN_KEYRING: Keyring = { path: "/account/keys", app: null };

function placeOf({ person }: AccountCall, { app }: Keyring): UserKeyPlace {
	return { account: person.account, appId: app?.id ?? null };
}

async function keys(
	call: AccountCall,
	keyring: Keyring,
	said: Partial<Parameters<typeof keysPage>[0]> = {},
): Promise<Page> {
	const all = await listUserKeys(call.deps, placeOf(call, keyring));
	const { nowMs } = call.by;
	const working = all.filter(({ revokedMs, expiresMs }) => revokedMs === null && (expiresMs ?? nowMs + 1) > nowMs);
	return keysPage({ keyring, keys: working, token: call.token, notice: noticeOf(call.visit), ...said });
}

const KEY_NAME_MAX = 100;

async function makeKey(call: AccountPost, keyring: Keyring): Promise<Page> {
	const { deps, form, by } = call;
	const name = (form.get("name") ?? "").trim();
	if (name === "" || [...name].length > KEY_NAME_MAX) {
		return keys(call, keyring, { name, fault: `Give it a name of 1 to ${KEY_NAME_MAX} characters.`, status: 422 });
	}
	// Less than it could do, unless somebody has chosen more.
	const writes = keyring.app === null && form.get("may") === "write";
	const request = { ...READS, name, ...(writes && { permissions: new Set(["read", "write"] as const) }) };
	try {
		const { key, secret } = await createUserKey(deps, placeOf(call, keyring), request, by);
		return await keys(call, keyring, { made: { name: key.name, secret } });
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "validation_error") throw cause;
		const fault = "You hold as many keys here as there may be. Revoke one first.";
		return keys(call, keyring, { name, fault, status: 422 });
	}
}

async function revokeKey(call: AccountPost, keyring: Keyring): Promise<Outcome> {
	await revokeUserKey(call.deps, placeOf(call, keyring), call.visit.params.key ?? "", call.by);
	return redirect(`${keyring.path}?done=${keyring.app === null ? "revoked-own" : "revoked"}`);
}

async function askDelete(
	{ deps, person, token }: AccountCall,
	said: Partial<Parameters<typeof deletePage>[0]> = {},
): Promise<Page> {
	const [connections, own] = await Promise.all([listConnections(deps, person.account), findOwn(deps, person)]);
	const connected = connections.filter(({ state }) => state === "connected");
	return deletePage({ email: person.account.email, token, connections: connected, own, ...said });
}

async function erase(call: AccountPost): Promise<Outcome> {
	const { deps, visit, person, form, by } = call;
	if (foldEmail((form.get("email") ?? "").trim()) !== foldEmail(person.account.email)) {
		return askDelete(call, { fault: "This is not the address of this account.", status: 422 });
	}
	try {
		await deleteAccount(deps, person, by);
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "state_conflict") throw cause;
		return askDelete(call, { obstacle: cause.message, status: 409 });
	}
	visit.cookies.clear("session");
	return redirect("/account/deleted");
}
