import { revokeToken } from "@svc/apps/tokens";
import { foldEmail } from "@svc/base/email";
import { Failure } from "@svc/base/failure";
import { listWithdrawable, withdrawalSteps } from "@svc/billing/payers/leaving";
import type { OwnConnection } from "@svc/connect/connected-user";
import type { UserKeyPlace } from "@svc/connect/user-key";
import { createUserKey, listUserKeys, READS, revokeUserKey } from "@svc/connect/user-keys";
import { listConnections } from "@svc/connect/users";
import { deleteAccount } from "@svc/erasure/close-account";
import { startDisconnect } from "@svc/erasure/disconnect";
import { endOtherSessions, endSession } from "@svc/people/sessions";
import { type KeyedStorage, keysPage } from "../../connect/key-pages.tsx";
import { t as key } from "../../connect/messages.ts";
import { conflictText } from "../../kit/refusals.ts";
import type { PagesRooms } from "../../kit/rooms.ts";
import type { Text } from "../../kit/text.ts";
import { type Page, type PageResult, type Route, redirect, type Visit } from "../../kit/visit.ts";
import { addressRoutes, changeAddress } from "../address.tsx";
import { type ConfirmedForm, confirmRoutes } from "../confirm.tsx";
import { t } from "../messages.ts";
import { notMeRoutes } from "../not-me.tsx";
import { leaveNotice, takeNotice } from "../notices.ts";
import { addOne, passkeyRoutes, removeOne } from "../passkeys/passkeys.tsx";
import { passkeysSection } from "../passkeys/passkeys-section.tsx";
import { tickedOf } from "../withdrawal-boxes.tsx";
import { type AccountCall, type AccountPost, change, type Deed, look } from "./account-call.ts";
import { accountPage, disconnectPage, sectionPage } from "./account-pages.tsx";
import { accountSignInRoutes } from "./account-sign-in.ts";
import { activitySection } from "./activity-section.tsx";
import { addressSection } from "./address-section.tsx";
import { appsSection } from "./apps-section.tsx";
import { deletedPage, deletePage } from "./delete-pages.tsx";
import { askExport, exportFileRoute, exportSection } from "./export-section.tsx";
import { languageSection } from "./language-section.tsx";
import { paidCard } from "./plans-section.tsx";
import { type Section, together } from "./sections.tsx";
import { developerSection, sessionsSection, tokensSection } from "./session-sections.tsx";

/* What people decide over their own images: which Apps keep some, who reads them, and whether any are kept at all. */

/** @param confirmed forms whose sender may first have to confirm who they are, by path: those of the account are added */
export function accountRoutes(rooms: PagesRooms, confirmed: Map<string, ConfirmedForm>): Route[] {
	const signedIn = (run: (call: AccountCall) => Promise<PageResult>) => (visit: Visit) => look(rooms, visit, run);
	const app = "/account/apps/:app";
	const posted = (path: string, deed: Deed, about?: ConfirmedForm["about"]) => {
		if (about) confirmed.set(path, { deed, about });
		return (visit: Visit) => change(rooms, visit, path, deed);
	};
	const postOf = (section: Section) => {
		const form = FORMS.get(section);
		return form && { post: posted(`/account/${section.id}`, form.deed, form.about) };
	};
	const keysOf = (path: string, find: (call: AccountCall) => Promise<KeyedStorage>): Route[] => [
		{
			path,
			get: signedIn(async (call) => keys(call, await find(call))),
			post: posted(path, async (call) => makeKey(call, await find(call))),
		},
		{
			path: `${path}/:key/revoke`,
			post: posted(`${path}/:key/revoke`, async (call) => revokeKey(call, await find(call))),
		},
	];
	return [
		...accountSignInRoutes(rooms),
		{ path: "/account", get: signedIn(overview) },
		{ path: "/account/sign-out", post: posted("/account/sign-out", signOut) },
		...SECTIONS.map((section) => ({
			path: `/account/${section.id}`,
			get: signedIn((call) => oneSection(section, call)),
			...postOf(section),
		})),
		{ path: "/account/sessions/:session/end", post: posted("/account/sessions/:session/end", endOne) },
		{ path: "/account/tokens/:id/revoke", post: posted("/account/tokens/:id/revoke", revokeOne) },
		{ path: "/account/sign-out-others", post: posted("/account/sign-out-others", signOutOthers) },
		{
			path: `${app}/disconnect`,
			get: signedIn(askDisconnect),
			post: posted(`${app}/disconnect`, disconnect),
		},
		...keysOf(`${app}/keys`, findAppKeyring),
		...rooms.variant.storages.keyrings.flatMap((keyring) => keysOf(keyring.path, async () => keyring)),
		{
			path: "/account/delete",
			get: signedIn((call) => askDelete(call)),
			post: posted("/account/delete", erase, () => t("delete.reason")),
		},
		{ path: "/account/deleted", get: async () => deletedPage() },
		exportFileRoute(rooms),
		...addressRoutes(rooms),
		...passkeyRoutes(rooms),
		{
			path: "/account/passkeys/:passkey/remove",
			get: async () => redirect("/account/passkeys"),
			post: posted("/account/passkeys/:passkey/remove", removeOne, () => t("passkeys.remove.reason")),
		},
		...notMeRoutes(rooms),
		...confirmRoutes(rooms, confirmed),
	];
}

/** Who gets in, and how. */
const securitySection: Section = {
	id: "security",
	title: t("security"),
	passkeys: true,
	show: (call) => together([sessionsSection, passkeysSection, addressSection], call),
};

/** Each by its own path, those of the security page as well: letters and older links lead there. */
const SECTIONS: readonly Section[] = [
	appsSection,
	securitySection,
	sessionsSection,
	passkeysSection,
	addressSection,
	languageSection,
	activitySection,
	exportSection,
	developerSection,
	tokensSection,
];

/** The deeds of forms that post to the section itself. */
const FORMS: ReadonlyMap<Section, ConfirmedForm> = new Map([
	[addressSection, { deed: changeAddress, about: aboutAddress }],
	[exportSection, { deed: askExport, about: () => t("export.reason") }],
	[passkeysSection, { deed: addOne, about: () => t("passkeys.add.reason") }],
]);

async function overview(call: AccountCall): Promise<Page> {
	const [apps, paid] = await Promise.all([appsSection.show(call), paidCard(call)]);
	const children = (
		<>
			{apps}
			{paid}
		</>
	);
	return accountPage({ ...(await headOf(call)), children });
}

function aboutAddress(fields: ReadonlyMap<string, string>): Text {
	return t("address.reason", { email: fields.get("email") ?? "" });
}

async function oneSection(section: Section, call: AccountCall): Promise<Page> {
	const { title, passkeys = false } = section;
	return sectionPage(title, { ...(await headOf(call)), children: await section.show(call) }, { passkeys });
}

async function headOf(call: AccountCall) {
	return { email: call.person.account.email, token: call.token, notice: await takeNotice(call) };
}

async function signOut({ rooms, visit, person, by }: AccountPost): Promise<PageResult> {
	await endSession(rooms.people, person, "current", by);
	visit.cookies.clear("session");
	return redirect("/account");
}

async function signOutOthers(call: AccountPost): Promise<PageResult> {
	const keepTokens = call.form.has("keep_tokens");
	const ended = await endOtherSessions(call.rooms.people, call.person, { keepTokens }, call.by);
	await leaveNotice(call, { done: "others_ended", ...ended });
	return redirect("/account/security");
}

async function endOne(call: AccountPost): Promise<PageResult> {
	const { rooms, visit, person, by } = call;
	const id = visit.params.session ?? "";
	if (id === person.session.id) return await signOut(call);
	await endSession(rooms.people, person, id, by);
	await leaveNotice(call, { done: "session_ended" });
	return redirect("/account/security");
}

async function revokeOne(call: AccountPost): Promise<PageResult> {
	const { rooms, visit, person, by } = call;
	await revokeToken(rooms.apps, person, visit.params.id ?? "", by);
	await leaveNotice(call, { done: "token_revoked" });
	return redirect("/account/developer");
}

/** @throws Failure not_found for an App that one is not connected to */
async function getConnection({ rooms, visit, person }: AccountCall): Promise<OwnConnection> {
	const connections = await listConnections(rooms.connect, person.account);
	const found = connections.find(({ app, state }) => app.id === visit.params.app && state === "connected");
	if (!found) throw new Failure("not_found");
	return found;
}

async function askDisconnect(call: AccountCall): Promise<Page> {
	const { rooms, person, token } = call;
	const connection = await getConnection(call);
	const withdrawable = await listWithdrawable(rooms.billing, person.account, connection.app.id);
	return disconnectPage({ connection, withdrawable, email: person.account.email, token });
}

async function disconnect(call: AccountPost): Promise<PageResult> {
	const { rooms, person, by } = call;
	const { app } = await getConnection(call);
	const connection = { appId: app.id, accountPk: person.account.pk };
	const plans = await listWithdrawable(rooms.billing, person.account, app.id);
	const chosen = tickedOf(plans, call.form);
	const also = await withdrawalSteps(rooms.billing, { account: person.account, by }, chosen);
	await startDisconnect(rooms.erasure, { connection, startedBy: person.account.id, by, also });
	await leaveNotice(call, { done: "disconnected" });
	return redirect("/account");
}

async function findAppKeyring(call: AccountCall): Promise<KeyedStorage> {
	const { app } = await getConnection(call);
	return { path: `/account/apps/${app.id}/keys`, app };
}

function placeOf({ person }: AccountCall, { app }: KeyedStorage): UserKeyPlace {
	return { account: person.account, appId: app?.id ?? null };
}

async function keys(
	call: AccountCall,
	keyring: KeyedStorage,
	said: Partial<Parameters<typeof keysPage>[0]> = {},
): Promise<Page> {
	const all = await listUserKeys(call.rooms.connect, placeOf(call, keyring));
	const { nowMs } = call.by;
	const working = all.filter(({ revokedMs, expiresMs }) => revokedMs === null && (expiresMs ?? nowMs + 1) > nowMs);
	return keysPage({
		keyring,
		keys: working,
		email: call.person.account.email,
		token: call.token,
		notice: await takeNotice(call),
		...said,
	});
}

const KEY_NAME_MAX = 100;

async function makeKey(call: AccountPost, keyring: KeyedStorage): Promise<Page> {
	const { rooms, form, by } = call;
	const name = (form.get("name") ?? "").trim();
	if (name === "" || [...name].length > KEY_NAME_MAX) {
		return keys(call, keyring, { name, fault: key("keys.name.fault", { most: KEY_NAME_MAX }), status: 422 });
	}
	// The key can only read, unless the person has chosen writing as well.
	const writes = keyring.app === null && form.get("may") === "write";
	const request = { ...READS, name, ...(writes && { permissions: new Set(["read", "write"] as const) }) };
	try {
		const { key: made, secret } = await createUserKey(rooms.connect, placeOf(call, keyring), request, by);
		return await keys(call, keyring, { made: { name: made.name, secret } });
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "validation_error") throw cause;
		const fault = key("keys.full");
		return keys(call, keyring, { name, fault, status: 422 });
	}
}

async function revokeKey(call: AccountPost, keyring: KeyedStorage): Promise<PageResult> {
	await revokeUserKey(call.rooms.connect, placeOf(call, keyring), call.visit.params.key ?? "", call.by);
	await leaveNotice(call, { done: keyring.app === null ? "own_key_revoked" : "key_revoked" });
	return redirect(keyring.path);
}

async function askDelete(
	{ rooms, person, token }: AccountCall,
	said: Partial<Parameters<typeof deletePage>[0]> = {},
): Promise<Page> {
	const [connections, own, withdrawable] = await Promise.all([
		listConnections(rooms.connect, person.account),
		rooms.variant.storages.find(rooms.connect, person.account),
		listWithdrawable(rooms.billing, person.account),
	]);
	const connected = connections.filter(({ state }) => state === "connected");
	return deletePage({ email: person.account.email, token, connections: connected, own, withdrawable, ...said });
}

async function erase(call: AccountPost): Promise<PageResult> {
	const { rooms, visit, person, form, by } = call;
	if (foldEmail((form.get("email") ?? "").trim()) !== foldEmail(person.account.email)) {
		return askDelete(call, { fault: t("delete.fault"), status: 422 });
	}
	const { account } = person;
	const chosen = tickedOf(await listWithdrawable(rooms.billing, account), form);
	const also = await withdrawalSteps(rooms.billing, { account, by }, chosen);
	try {
		await deleteAccount(rooms.erasure, person, by, also);
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "state_conflict") throw cause;
		return askDelete(call, { obstacle: conflictText(cause), status: 409 });
	}
	visit.cookies.clear("session");
	return redirect("/account/deleted");
}
