import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { takesPasskeys } from "@svc/people/passkeys/passkey-proofs";
import { startPasskeySignIn } from "@svc/people/passkeys/passkey-sign-in";
import { findShownApp } from "../../apps/find-shown-app.ts";
import { type FormFields, flowSecret, formToken, readForm, requireToken } from "../../kit/form.ts";
import type { PagesRooms } from "../../kit/rooms.ts";
import type { ShownApp } from "../../kit/shown-app.ts";
import type { Text } from "../../kit/text.ts";
import { type Page, PageRefusal, type PageResult, type Route, redirect, type Visit } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { optionsAnswer, verifySent } from "../passkeys/passkey-calls.ts";
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
} from "../sign-in.ts";
import { linkOver, linkSentPage, openedPage } from "../sign-in-link.tsx";
import { accountCodePage, accountEmailPage } from "./account-sign-in-pages.tsx";

/* Signing in to one's own account: the two steps of connecting, without an App. */

export function accountSignInRoutes(rooms: PagesRooms): Route[] {
	return [
		{ path: "/account/sign-in", get: async () => redirect("/account"), post: (visit) => send(rooms, visit) },
		{
			path: "/account/passkey/options",
			post: async (visit) => {
				const form = await requireFlow(rooms, visit);
				const address = rooms.addressOf(visit.request);
				return optionsAnswer(await startPasskeySignIn(rooms.people, address, form.has("offered")));
			},
		},
		{
			path: "/account/passkey",
			get: async ({ url }) => redirect(url.searchParams.has("login") ? `/account/code${url.search}` : "/account"),
			post: (visit) => usePasskey(rooms, visit),
		},
		{ path: "/account/code", get: (visit) => showCode(rooms, visit), post: (visit) => verify(rooms, visit) },
		{
			path: "/account/resend",
			// The address that the person is at after asking too soon, and that a reload asks for.
			get: async ({ url }) => redirect(`/account/code${url.search}`),
			post: (visit) => resend(rooms, visit),
		},
		{ path: LINK, get: (visit) => showLinkSent(rooms, visit), post: (visit) => sendLink(rooms, visit) },
		{ path: `${LINK}/:token`, get: (visit) => showLink(rooms, visit), post: (visit) => takeLink(rooms, visit) },
	];
}

/** Where people get in by a link whom wrong codes keep out. */
const LINK = "/account/link";

/** Pages of one's own account that people come to by themselves, or from a mail. */
const OWN_PAGES = new RegExp(
	`^/account/(?:${[
		"apps|plans|plan|keys|security|developer|sessions|tokens|passkeys|address|language|activity|export|delete",
		"apps/app_[0-9A-Za-z]{22}/(?:keys|plan|disconnect)",
		"plans/sub_[0-9A-Za-z]{22}(?:/(?:cancel|withdraw))?",
		"invoices/ivc_[0-9A-Za-z]{22}",
	].join("|")})$`,
);

/** Screens of the console, with what was filtered there. */
function isOfConsole(to: string): boolean {
	return /^\/console(?:[/?][\x21-\x7e]{0,4000})?$/.test(to);
}

/** For a page of one's own account: signing in leads back to it. */
export function askToSignIn(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const { pathname, search } = visit.url;
	const to = isOfConsole(pathname) ? pathname + search : pathname;
	const url = new URL(`/account/sign-in?${new URLSearchParams({ to })}`, visit.url);
	return askEmail(rooms, { ...visit, url }, "");
}

/**
 * Where signing in leads: to the account, or to the invitation or billing card that asked for it. Nowhere else, whatever the address
 * says.
 */
function wayOf(url: URL): { readonly end: string; readonly query: string } {
	const card = url.searchParams.get("card");
	if (card !== null)
		return { end: `/billing?${new URLSearchParams(card)}`, query: `?${new URLSearchParams({ card })}` };
	const to = url.searchParams.get("to");
	if (to !== null && (OWN_PAGES.test(to) || isOfConsole(to)))
		return { end: to, query: `?${new URLSearchParams({ to })}` };
	const invite = url.searchParams.get("invite") ?? "";
	if (!isId("inv", invite)) return { end: "/account", query: "" };
	return { end: `/invites/${invite}`, query: `?invite=${invite}` };
}

function codeAddress(step: "code" | "resend" | "link" | "passkey", loginId: string, url: URL): string {
	return `/account/${step}?login=${loginId}${wayOf(url).query.replace("?", "&")}`;
}

/** The App that has sent the person to its plans; undefined where none did. */
async function findSender(rooms: PagesRooms, { searchParams }: URL): Promise<ShownApp | undefined> {
	const card = new URLSearchParams(searchParams.get("card") ?? "");
	const id = card.get("app") ?? "";
	if (!isId("app", id)) return undefined;
	const app = await rooms.connect.connections.findApp(id, card.get("redirect_uri") ?? "");
	return app?.registered ? await findShownApp(rooms, app) : undefined;
}

/** The first step. */
export async function askEmail(
	rooms: PagesRooms,
	visit: Visit,
	email: string,
	fault: Partial<FormFault> = {},
	passkeyFault?: FormFault,
): Promise<Page> {
	const token = await formToken(flowSecret(visit));
	return accountEmailPage({
		serviceName: rooms.name,
		// A person who was sent here to pay does not know what an account is.
		toPlans: visit.url.searchParams.has("card"),
		app: await findSender(rooms, visit.url),
		action: `/account/sign-in${wayOf(visit.url).query}`,
		link: linkFor(visit, fault),
		token,
		email,
		...passkeyFault,
		...fault,
		fault: fault.fault,
		passkey: passkeyFor(rooms, `/account/passkey${wayOf(visit.url).query}`, passkeyFault),
	});
}

function passkeyFor({ people }: PagesRooms, action: string, fault: FormFault | undefined) {
	return takesPasskeys(people) ? { action, fault: fault?.fault } : undefined;
}

/** The first step and the second at once, or instead of the code that was mailed meanwhile. */
async function usePasskey(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await requireFlow(rooms, visit);
	const { end } = wayOf(visit.url);
	const flow = await findFlow(rooms, visit, "account", end);
	const verified = await usable(() => verifySent(rooms, visit, form, null));
	if ("fault" in verified) {
		return flow ? askCode(rooms, visit, flow, {}, verified) : askEmail(rooms, visit, "", undefined, verified);
	}
	if (flow) visit.cookies.clear(`flow-${flow.login.id}`);
	return redirect(end);
}

/** A form of this browser. */
async function requireFlow(rooms: PagesRooms, visit: Visit): Promise<FormFields> {
	const form = await readForm(visit, rooms.addresses);
	await requireToken(form, visit.cookies.read("flow"), "/account");
	return form;
}

async function send(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	await requireToken(form, visit.cookies.read("flow"), "/account");
	const email = form.get("email") ?? "";
	const sent = await sendCode(rooms, visit, { purpose: "account", email });
	return "fault" in sent ? askEmail(rooms, visit, email, sent) : redirect(codeAddress("code", sent.id, visit.url));
}

async function showCode(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const flow = await getFlow(rooms, visit);
	const notice = visit.url.searchParams.has("sent") ? t("code.sent") : undefined;
	return askCode(rooms, visit, flow, notice === undefined ? saidOfTries(flow) : { notice });
}

async function verify(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const flow = await getFlow(rooms, visit);
	await requireToken(form, visit.cookies.read("flow"), "/account");
	const verified = await usable(() => verifyCode(rooms, visit, flow, form));
	if (verified === "wrong") return redirect(codeAddress("code", flow.login.id, visit.url));
	return "fault" in verified ? askCode(rooms, visit, flow, verified) : redirect(wayOf(visit.url).end);
}

async function resend(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const flow = await getFlow(rooms, visit);
	await requireToken(form, visit.cookies.read("flow"), "/account");
	const refused = await resendCode(rooms, visit, flow);
	return refused
		? askCode(rooms, visit, flow, refused)
		: redirect(`${codeAddress("code", flow.login.id, visit.url)}&sent=1`);
}

async function askCode(
	rooms: PagesRooms,
	visit: Visit,
	{ login }: OpenFlow,
	said: Partial<FormFault & Wait> & { readonly notice?: Text | undefined },
	passkeyFault?: FormFault,
): Promise<Page> {
	return accountCodePage({
		...passkeyFault,
		...said,
		fault: said.fault,
		passkey: passkeyFor(rooms, codeAddress("passkey", login.id, visit.url), passkeyFault),
		app: await findSender(rooms, visit.url),
		token: await formToken(flowSecret(visit)),
		email: login.email,
		link: linkFor(visit, said),
		mail: await mailWay(rooms, visit),
		actions: { verify: codeAddress("code", login.id, visit.url), resend: codeAddress("resend", login.id, visit.url) },
		restart: wayOf(visit.url).end,
	});
}

function linkFor({ url }: Visit, { locked = false }: Partial<FormFault>): string | undefined {
	return locked ? `${LINK}${wayOf(url).query}` : undefined;
}

async function sendLink(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	await requireToken(form, visit.cookies.read("flow"), "/account");
	const email = form.get("email") ?? "";
	const way = wayOf(visit.url).query.replace("?", "&");
	const link = (loginId: string, token: string) => `${rooms.addresses.web}${LINK}/${token}?login=${loginId}${way}`;
	const sent = await sendCode(rooms, visit, { purpose: "account", email, link });
	return "fault" in sent ? askEmail(rooms, visit, email, sent) : redirect(codeAddress("link", sent.id, visit.url));
}

async function showLinkSent(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const { login } = await getFlow(rooms, visit);
	const { end, query } = wayOf(visit.url);
	return linkSentPage({
		email: login.email,
		action: `${LINK}${query}`,
		token: await formToken(flowSecret(visit)),
		restart: end,
		app: await findSender(rooms, visit.url),
	});
}

function showLink(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const words = { title: t("link.open"), text: t("link.open.text", { service: rooms.name }), submit: t("sign_in") };
	return openedPage(rooms, visit, () => words);
}

/** The link is one proof, and the cookie of this browser the other; a form from elsewhere is refused. */
async function takeLink(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	await readForm(visit, rooms.addresses);
	const { end } = wayOf(visit.url);
	const flow = await findFlow(rooms, visit, "account", end);
	const verified = flow && (await usable(() => verifyMailedLink(rooms, visit, flow)));
	if (!verified || verified === "over") throw linkOver();
	return redirect(end);
}

/** Only a person who has the code, or the link, sees this. @throws Refusal 403 for an account that may not sign in */
async function usable<Result>(verify: () => Promise<Result>): Promise<Result> {
	try {
		return await verify();
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.code !== "forbidden") throw cause;
		throw new PageRefusal(403, t("unusable"), t("unusable.text"));
	}
}

/** @throws Refusal 410 */
async function getFlow(rooms: PagesRooms, visit: Visit): Promise<OpenFlow> {
	const { end } = wayOf(visit.url);
	const flow = await findFlow(rooms, visit, "account", end);
	if (flow) return flow;
	throw signInOver(end);
}
