import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { endSession } from "@svc/people/sessions";
import { readCode } from "@svc/people/sign-in/login-codes";
import {
	findLogin,
	LockedOut,
	type Login,
	type LoginStart,
	resendLogin,
	type StartedLogin,
	startLogin,
	TRIES,
} from "@svc/people/sign-in/login-start";
import { type VerifiedLogin, verifyLink, verifyLogin } from "@svc/people/sign-in/sign-in";
import { deviceOf } from "../kit/device.ts";
import type { FormFields } from "../kit/form.ts";
import { t as kit } from "../kit/messages.ts";
import { duration } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Message, Text } from "../kit/text.ts";
import { PageRefusal, type Visit } from "../kit/visit.ts";
import { localeOf } from "./language.ts";
import { t } from "./messages.ts";
import type { MailWay } from "./sign-in-pages.tsx";
import { findSignedIn } from "./signed-in.ts";

/* Signing in by an e-mail code, from a browser. */

const DAY_SECONDS = 86_400;
/** The longest that a session lives; the service ends it sooner where nobody uses it. */
const SESSION_SECONDS = 90 * DAY_SECONDS;
/** The longest time for which browsers keep a cookie. */
const DEVICE_SECONDS = 400 * DAY_SECONDS;

/** Why a form is shown again rather than the next page. */
export interface FormFault {
	readonly status: number;
	readonly fault: Text;
	readonly headers: Readonly<Record<string, string>>;
	/** Wrong codes keep this device out: a link in the mail gets a person in all the same. */
	readonly locked?: boolean;
}

/** Sends a code, or a link where its address is told, and binds it to this browser. */
export async function sendCode(
	rooms: PagesRooms,
	visit: Visit,
	wanted: Pick<LoginStart, "purpose" | "email" | "target" | "link">,
): Promise<StartedLogin | FormFault> {
	try {
		const login = await startLogin(rooms.people, {
			...wanted,
			device: deviceOf(visit.request),
			address: rooms.addressOf(visit.request),
			knownDevice: visit.cookies.read("device"),
			locale: await localeOf(rooms, visit),
		});
		bind(rooms, visit, login);
		return login;
	} catch (cause) {
		return faultOf(cause, { validation_error: () => t("email.fault") });
	}
}

export function bind(rooms: PagesRooms, { cookies }: Visit, { id, secret, expiresMs }: StartedLogin): void {
	const maxAge = Math.max(1, Math.ceil((expiresMs - rooms.clock.now()) / 1_000));
	cookies.set(`flow-${id}`, secret, { sameSite: "Strict", maxAge });
}

/** A login that is under way in this browser. */
export interface OpenFlow {
	readonly login: Login;
	readonly secret: string;
}

/**
 * Finds a login by the id in the address and its cookie: several may be under way in several tabs.
 * @param again where one starts again
 * @throws Refusal 410 once its last try was wrong
 */
export async function findFlow(
	rooms: PagesRooms,
	{ url, cookies }: Visit,
	purpose: "connect" | "account" | "step_up" | "email",
	again: string,
): Promise<OpenFlow | undefined> {
	const id = url.searchParams.get("login") ?? "";
	const secret = isId("log", id) ? cookies.read(`flow-${id}`) : null;
	const login = secret === null ? undefined : await findLogin(rooms.people, { id, secret });
	if (secret === null || login?.purpose !== purpose) return undefined;
	if (login.attemptsLeft === 0) throw signInOver(again, 410, t("code.last"));
	return { login, secret };
}

/** Whether mails are written and not sent: in test mode, where operators read them. */
export function keepsMails({ mail, mode }: PagesRooms): boolean {
	return mode === "test" && mail.secrets === "shown";
}

/** What people who wait for a code are to hear of the mail. */
export async function mailWay(rooms: PagesRooms, visit: Visit): Promise<MailWay> {
	const { mail } = rooms;
	if (keepsMails(rooms)) return (await findSignedIn(rooms, visit))?.account.operator ? "readable" : "kept";
	return (await mail.health.read()).state === "failing" ? "slow" : "sent";
}

/** Why the form for the code is shown again although nothing was typed into it. */
export interface Wait extends Omit<FormFault, "fault"> {
	readonly wait: Text;
}

/** Sends another code; undefined when it is on its way, and a notice where the last one has just been sent, which is no fault. */
export async function resendCode(
	rooms: PagesRooms,
	visit: Visit,
	{ login, secret }: OpenFlow,
): Promise<Wait | { readonly notice: Text } | undefined> {
	try {
		const address = rooms.addressOf(visit.request);
		const locale = await localeOf(rooms, visit);
		bind(rooms, visit, await resendLogin(rooms.people, { id: login.id, secret, address, locale }));
		return undefined;
	} catch (cause) {
		const expected = { invalid_code: () => t("over.closed") };
		const early = rooms.clock.now() < login.resendMs;
		const { fault: wait, ...refused } = faultOf(cause, expected, early ? "resend.early" : "resend.too_often");
		return early ? { notice: wait } : { ...refused, wait };
	}
}

/** @param again where one starts again */
export function signInOver(again: string, status = 410, text: Text = t("over.text")): PageRefusal {
	return new PageRefusal(status, t("over"), text, { again: { href: again, label: kit("again") } });
}

/** What the form for the code says of the codes that were typed so far; the last one was wrong. */
export function saidOfTries({ login }: OpenFlow): { readonly fault?: Text } {
	if (login.attemptsLeft === TRIES) return {};
	return { fault: t("code.wrong", { tries: login.attemptsLeft }) };
}

/**
 * The person who typed the right code; after a sign-in signed in in this browser from then on, in place of a person who was signed in
 * before. "wrong" leads back to the form, which says so: what is loaded again then is no second try.
 * @throws Failure forbidden
 */
export async function verifyCode(
	rooms: PagesRooms,
	visit: Visit,
	{ login, secret }: OpenFlow,
	form: FormFields,
	expected: Expected = {},
): Promise<VerifiedLogin | FormFault | "wrong"> {
	const typed = form.get("code") ?? "";
	// A typing error costs no try.
	if (readCode(typed) === undefined) return fault(422, t("code.missing"));
	try {
		const sent = await sentFrom(rooms, visit, { login, secret });
		const verified = await verifyLogin(rooms.people, { ...sent, code: typed });
		return await endFlow(rooms, visit, { login, verified });
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "invalid_code") return "wrong";
		return faultOf(cause, expected, "code.too_often");
	}
}

/**
 * The person who opened the link that was mailed instead of a code; "over" for one that leads nowhere any more.
 * @throws Failure forbidden
 */
export async function verifyMailedLink(
	rooms: PagesRooms,
	visit: Visit,
	flow: OpenFlow,
): Promise<VerifiedLogin | "over"> {
	try {
		const sent = await sentFrom(rooms, visit, flow);
		const verified = await verifyLink(rooms.people, sent, visit.params.token ?? "");
		return await endFlow(rooms, visit, { login: flow.login, verified });
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "invalid_code") return "over";
		throw cause;
	}
}

async function sentFrom(rooms: PagesRooms, visit: Visit, { login, secret }: OpenFlow) {
	return {
		id: login.id,
		secret,
		address: rooms.addressOf(visit.request),
		kind: "web",
		locale: await localeOf(rooms, visit),
		requestId: visit.requestId,
	} as const;
}

async function endFlow(
	rooms: PagesRooms,
	visit: Visit,
	{ login: { id }, verified }: { readonly login: OpenFlow["login"]; readonly verified: VerifiedLogin },
): Promise<VerifiedLogin> {
	await signedIn(rooms, visit, verified);
	visit.cookies.clear(`flow-${id}`);
	return verified;
}

/** After a sign-in the browser has a session, and is a known device from then on. */
export async function signedIn(rooms: PagesRooms, visit: Visit, { secret, deviceToken }: VerifiedLogin): Promise<void> {
	if (secret !== null) await replaceSession(rooms, visit, secret);
	visit.cookies.set("device", deviceToken, { sameSite: "Lax", maxAge: DEVICE_SECONDS });
}

/** The session is always a new one: a session that the browser held before is not valid any more. */
async function replaceSession(rooms: PagesRooms, visit: Visit, secret: string): Promise<void> {
	const former = await findSignedIn(rooms, visit);
	if (former) {
		const by = { actor: former.account.id, requestId: visit.requestId, nowMs: rooms.clock.now() };
		await endSession(rooms.people, former, "current", by);
	}
	visit.cookies.set("session", secret, { sameSite: "Lax", maxAge: SESSION_SECONDS });
}

function fault(status: number, text: Text, headers: FormFault["headers"] = {}): FormFault {
	return { status, fault: text, headers };
}

type Expected = Partial<Record<Failure["code"], () => Message>>;

type TooOften = "send.too_often" | "resend.early" | "resend.too_often" | "code.too_often";

/** The form's message for a failure that a person can do something about; every other failure is thrown on. */
export function faultOf(cause: unknown, expected: Expected, tooOften: TooOften = "send.too_often"): FormFault {
	if (!(cause instanceof Failure)) throw cause;
	if (cause.code === "rate_limited") {
		const { retryAfterSeconds = 60 } = cause;
		const locked = cause instanceof LockedOut;
		const text = t(locked ? "code.too_often" : tooOften, { wait: duration(retryAfterSeconds) });
		return { ...fault(429, text, { "Retry-After": String(retryAfterSeconds) }), locked };
	}
	const text = expected[cause.code];
	if (!text) throw cause;
	return fault(422, text());
}
