import { foldEmail, parseEmail } from "@svc/base/email";
import { Failure } from "@svc/base/failure";
import {
	type BegunConnect,
	beginConnect,
	ConnectFault,
	callbackUrl,
	connect,
	connectSilently,
	isRenewable,
} from "@svc/connect/connections";
import type { Person } from "@svc/people/people";
import type { LoginStart } from "@svc/people/sign-in/login-start";
import type { VerifiedLogin } from "@svc/people/sign-in/sign-in";
import { findShownApp } from "../apps/find-shown-app.ts";
import { flowSecret, formToken, readForm, requireToken } from "../kit/form.ts";
import { Name } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Text } from "../kit/text.ts";
import { type Page, type PageResult, type Redirect, type Route, redirect, type Visit } from "../kit/visit.ts";
import { t as signIn } from "../people/messages.ts";
import {
	type FormFault,
	findFlow,
	mailWay,
	type OpenFlow,
	resendCode,
	saidOfTries,
	sendCode,
	signInOver,
	verifyCode,
	verifyMailedLink,
	type Wait,
} from "../people/sign-in.ts";
import { linkOver, linkSentPage, openedPage } from "../people/sign-in-link.tsx";
import { findSignedIn } from "../people/signed-in.ts";
import { codePage, emailPage } from "./connect-pages.tsx";
import { type ConnectQuery, connectAddress, faultyLink, readConnectQuery } from "./connect-query.ts";
import { t } from "./messages.ts";

/* Hosted sign-in: from an App's page to its callback (specification, "Hosted sign-in"). */

export function connectRoutes(rooms: PagesRooms): Route[] {
	return [
		{
			path: "/connect",
			get: (visit) => refusingFaults(visit, () => begin(rooms, visit)),
			post: (visit) => refusingFaults(visit, () => send(rooms, visit)),
		},
		{
			path: CONTINUE,
			// The address that the person is at after a refusal, and that a reload asks for.
			get: async ({ url }) => redirect(`/connect${url.search}`),
			post: (visit) => refusingFaults(visit, () => goOn(rooms, visit)),
		},
		{
			path: "/connect/code",
			get: (visit) => showCode(rooms, visit),
			post: (visit) => refusingFaults(visit, () => verify(rooms, visit)),
		},
		{
			path: "/connect/resend",
			// The address that the person is at after asking too soon, and that a reload asks for.
			get: async ({ url }) => redirect(`/connect/code${url.search}`),
			post: (visit) => resend(rooms, visit),
		},
		{
			path: LINK,
			get: (visit) => showLinkSent(rooms, visit),
			post: (visit) => refusingFaults(visit, () => send(rooms, visit, linkTo(rooms, visit))),
		},
		{
			path: `${LINK}/:token`,
			get: (visit) => showLink(rooms, visit),
			post: (visit) => refusingFaults(visit, () => takeLink(rooms, visit)),
		},
	];
}

/** Where people get in by a link whom wrong codes keep out. */
const LINK = "/connect/link";

/** Where people go on by one button who are signed in, and connected under this consent. */
const CONTINUE = "/connect/continue";

async function begin(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const query = readConnectQuery(visit.url);
	const begun = await beginConnect(rooms.connect, query);
	if (begun.suspended) return back(begun, { error: "temporarily_unavailable" });
	const person = await findSignedIn(rooms, visit);
	if (query.prompt !== "none") return askEmail(rooms, visit, begun, prefilled(query, person), { person });
	const account = person?.account ?? null;
	return back(
		begun,
		await connectSilently(rooms.connect, { account, appPk: begun.app.pk, redirectUri: begun.redirectUri }),
	);
}

/** Does what `prompt=none` does, and nothing else. The form is bound to the session of the person whom it names. */
async function goOn(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const query = readConnectQuery(visit.url);
	await requireToken(form, visit.cookies.read("session"), connectAddress(query));
	const { app, ...begun } = await beginConnect(rooms.connect, query);
	const account = (await findSignedIn(rooms, visit))?.account ?? null;
	const pressed = { requestId: visit.requestId };
	const wanted = { account, appPk: app.pk, redirectUri: begun.redirectUri, pressed };
	const result = await connectSilently(rooms.connect, wanted);
	// What has changed meanwhile is asked for on the card.
	if ("error" in result && result.error === "interaction_required") return redirect(connectAddress(query));
	return back(begun, result);
}

/** @param link where the mail is to lead that brings a link instead of a code */
async function send(rooms: PagesRooms, visit: Visit, link?: LoginStart["link"]): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const query = readConnectQuery(visit.url);
	await requireToken(form, visit.cookies.read("flow"), connectAddress(query));
	const begun = await beginConnect(rooms.connect, query);
	if (begun.suspended) return back(begun, { error: "temporarily_unavailable" });
	const { app, redirectUri, state } = begun;
	const email = form.get("email") ?? "";
	const target = { appPk: app.pk, appName: app.name, redirectUri, state };
	const sent = await sendCode(rooms, visit, { purpose: "connect", email, target, link });
	if ("fault" in sent) return askEmail(rooms, visit, begun, { email, signedIn: false }, { fault: sent });
	return redirect(codeAddress(link ? LINK : "/connect/code", sent.id, query));
}

async function showCode(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const { flow } = await getFlow(rooms, visit);
	const notice = visit.url.searchParams.has("sent") ? signIn("code.sent") : undefined;
	return askCode(rooms, visit, flow, notice === undefined ? saidOfTries(flow) : { notice });
}

async function verify(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const { flow, target } = await getFlow(rooms, visit);
	const again = connectAddress(readConnectQuery(visit.url));
	await requireToken(form, visit.cookies.read("flow"), again);
	return await refusingAccounts(target, async () => {
		const verified = await verifyCode(rooms, visit, flow, form);
		if (verified === "wrong") return redirect(codeAddress("/connect/code", flow.login.id, readConnectQuery(visit.url)));
		if ("fault" in verified) return askCode(rooms, visit, flow, verified);
		return await goBack(rooms, visit, target, verified);
	});
}

/** Only a person who has the code, or the link, sees this: no other caller learns that an account may not sign in. */
async function refusingAccounts(target: Target, verify: () => Promise<PageResult>): Promise<PageResult> {
	try {
		return await verify();
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "forbidden") return back(target, { error: "access_denied" });
		throw cause;
	}
}

/** Connects, and leads back to the App. */
async function goBack(
	rooms: PagesRooms,
	{ requestId }: Visit,
	target: Target,
	{ account: person, session, made }: VerifiedLogin,
): Promise<PageResult> {
	const { appPk, redirectUri } = target;
	const app = { id: target.appId, name: target.appName };
	const mailed = made ? {} : { mailed: { to: person, app, origin: session } };
	return back(target, await connect(rooms.connect, { person, appPk, redirectUri, requestId, ...mailed }));
}

function linkTo({ addresses }: PagesRooms, visit: Visit): NonNullable<LoginStart["link"]> {
	const languages = languagesOf(visit);
	const query = languages === null ? "" : `&${new URLSearchParams({ ui_locales: languages })}`;
	return (loginId, token) => `${addresses.web}${LINK}/${token}?login=${loginId}${query}`;
}

async function showLinkSent(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const { flow, target } = await getFlow(rooms, visit);
	const restart = connectAddress(readConnectQuery(visit.url));
	return linkSentPage({
		email: flow.login.email,
		action: linkAddress(readConnectQuery(visit.url)),
		token: await formToken(flowSecret(visit)),
		restart,
		app: await findShownApp(rooms, { pk: target.appPk }),
	});
}

function showLink(rooms: PagesRooms, visit: Visit): Promise<Page> {
	return openedPage(rooms, visit, (app) => ({
		title: t("title", { app: app ?? "" }),
		text: t("link.text", { app: <Name>{app ?? ""}</Name> }),
		submit: t("connect"),
	}));
}

/** The link is one proof, and the cookie of this browser the other; a form from elsewhere is refused. */
async function takeLink(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	await readForm(visit, rooms.addresses);
	const flow = await findFlow(rooms, visit, "connect", "/");
	if (!flow) throw linkOver();
	const target = targetOf(flow.login);
	return await refusingAccounts(target, async () => {
		const verified = await verifyMailedLink(rooms, visit, flow);
		if (verified === "over") throw linkOver();
		return await goBack(rooms, visit, target, verified);
	});
}

async function resend(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const { flow } = await getFlow(rooms, visit);
	const query = readConnectQuery(visit.url);
	await requireToken(form, visit.cookies.read("flow"), connectAddress(query));
	const refused = await resendCode(rooms, visit, flow);
	if (refused) return askCode(rooms, visit, flow, refused);
	return redirect(`${codeAddress("/connect/code", flow.login.id, query)}&sent=1`);
}

/** What the first step begins with: a person who is signed in types a code all the same. */
interface Prefilled {
	readonly email: string;
	/** It is the address that the person is signed in with: there is nothing to type. */
	readonly signedIn: boolean;
}

/** An App may know whom it sends; a person who wants another address than that says so. */
function prefilled({ loginHint, other }: ConnectQuery, person: Person | undefined): Prefilled {
	const email = person?.account.email ?? "";
	if (other) return { email: "", signedIn: false };
	const hint = readableEmail(loginHint ?? "");
	if (hint !== "" && foldEmail(hint) !== foldEmail(email)) return { email: hint, signedIn: false };
	return { email, signedIn: email !== "" };
}

/** A malformed hint is ignored. */
function readableEmail(hint: string): string {
	try {
		return parseEmail(hint);
	} catch {
		return "";
	}
}

/** The first step. */
async function askEmail(
	rooms: PagesRooms,
	visit: Visit,
	begun: BegunConnect,
	{ email, signedIn }: Prefilled,
	{ person, fault }: { readonly person?: Person | undefined; readonly fault?: FormFault },
): Promise<Page> {
	const { app, redirectUri, state } = begun;
	const query = { app: app.id, redirectUri, state, uiLocales: languagesOf(visit) };
	const known = signedIn && person !== undefined && (await isRenewable(rooms.connect, person.account, app.pk));
	return emailPage({
		...(await partsOf(rooms, visit, begun)),
		...fault,
		app: await findShownApp(rooms, app),
		appName: app.name,
		action: connectAddress(query),
		link: fault?.locked ? linkAddress(query) : undefined,
		goOn: known
			? {
					action: connectAddress(query).replace("/connect?", `${CONTINUE}?`),
					token: await formToken(visit.cookies.read("session") ?? ""),
				}
			: undefined,
		otherAddress: signedIn ? `${connectAddress(query)}&other=1` : undefined,
		email,
	});
}

async function askCode(
	rooms: PagesRooms,
	visit: Visit,
	{ login }: OpenFlow,
	said: Partial<FormFault & Wait> & { readonly notice?: Text | undefined },
): Promise<Page> {
	const target = targetOf(login);
	const { appId: app, redirectUri, state } = target;
	const query = { app, redirectUri, state, uiLocales: languagesOf(visit) };
	return codePage({
		...(await partsOf(rooms, visit, target)),
		...said,
		app: await findShownApp(rooms, { pk: target.appPk }),
		appName: target.appName,
		email: login.email,
		link: said.locked ? linkAddress(query) : undefined,
		mail: await mailWay(rooms, visit),
		actions: {
			verify: codeAddress("/connect/code", login.id, query),
			resend: codeAddress("/connect/resend", login.id, query),
		},
		restart: connectAddress(query),
	});
}

/** What the App asked for goes along all the way. */
function languagesOf({ url }: Visit): string | null {
	return url.searchParams.get("ui_locales");
}

interface Caller {
	readonly redirectUri: string;
	readonly state: string | null;
}

async function partsOf(rooms: PagesRooms, visit: Visit, caller: Caller) {
	return {
		serviceName: rooms.name,
		returnsTo: URL.parse(caller.redirectUri)?.host ?? "",
		cancel: back(caller, { error: "access_denied" }).location,
		token: await formToken(flowSecret(visit)),
		isJudged: rooms.isJudged,
	};
}

/** Redirects to the App's callback with the state that it sent, and nothing else but the result. */
function back(
	{ redirectUri, state }: Caller,
	result: { readonly code: string } | { readonly error: string },
): Redirect {
	return redirect(callbackUrl(redirectUri, { ...result, state }));
}

function linkAddress(query: ConnectQuery): string {
	return connectAddress(query).replace("/connect?", `${LINK}?`);
}

function codeAddress(path: string, loginId: string, query: ConnectQuery): string {
	return `${connectAddress(query).replace("/connect?", `${path}?login=${loginId}&`)}`;
}

type Target = NonNullable<OpenFlow["login"]["target"]>;

function targetOf({ target }: OpenFlow["login"]): Target {
	if (!target) throw new Error("a login for connecting leads nowhere");
	return target;
}

/** The target is the one requested when the login began, whatever the address says now. @throws Refusal 410 */
async function getFlow(rooms: PagesRooms, visit: Visit): Promise<{ readonly flow: OpenFlow; readonly target: Target }> {
	const again = connectAddress(readConnectQuery(visit.url));
	const flow = await findFlow(rooms, visit, "connect", again);
	if (flow) return { flow, target: targetOf(flow.login) };
	throw signInOver(again);
}

/** A fault of the link ends on a page of ours: it names nowhere that one could safely be sent. */
async function refusingFaults({ url }: Visit, act: () => Promise<PageResult>): Promise<PageResult> {
	try {
		return await act();
	} catch (cause) {
		if (!(cause instanceof ConnectFault)) throw cause;
		throw faultyLink(cause.fault, url, t(`fault.${cause.fault}`));
	}
}
