import type { Limited } from "@svc/base/database/rate-shared";
import { foldEmail, isTestAddress, parseEmail } from "@svc/base/email";
import type { Locale, LoginPurpose, SignInKind } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { newToken, sameBytes } from "@svc/base/macs";
import { hashSecret } from "@svc/base/secrets";
import { newMail } from "@svc/mail/mail";
import { maskedEmail, undoLink, WAY_BACK_DAYS, WAY_BACK_MS } from "./address-changes.ts";
import { newLinkToken, newRef } from "./letter-links.ts";
import {
	CODE_MINUTES,
	codeMacOf,
	type Key,
	linkMacOf,
	loginMail,
	newCode,
	readCode,
	TEST_CODE,
} from "./login-codes.ts";
import { deviceToken, hashedName, knownNonce, networksOf, sendLimits, triesBucket } from "./login-limits.ts";
import type { LimitedLogin, LoginRecord, OpenLogin, Proven, SendLimits } from "./logins.ts";
import type { Account, Person, Session } from "./people.ts";
import type { People } from "./room.ts";
import { type NewLetter, newLetter, originOf } from "./security-letters.ts";
import { FRESH_MS, type NewSession, newSession } from "./sessions.ts";

export interface LoginStart {
	readonly purpose: LoginPurpose;
	/** The address as typed. */
	readonly email: string;
	/** The client's description of itself; at most 100 characters. */
	readonly device: string;
	/** Network address. */
	readonly address: string;
	/** The token from an earlier sign-in on this device; any other value is ignored. */
	readonly knownDevice: string | null;
	/** The language of the page that asks. */
	readonly locale?: Locale | undefined;
	/**
	 * Mails a link instead of a code, for a person whom strangers' wrong codes keep out: nobody can guess it. It is the address of the page
	 * that takes its token.
	 */
	readonly link?: ((loginId: string, token: string) => string) | undefined;
	/** The person whose session or address a `step_up` or `email` concerns. */
	readonly person?: Person;
	/** For `step_up` only: JSON, what the page does then. */
	readonly deed?: string | undefined;
	/** For `connect` only. */
	readonly target?: {
		readonly appPk: number;
		readonly appName: string;
		readonly redirectUri: string;
		readonly state: string | null;
	};
}

export interface StartedLogin {
	readonly id: string;
	/** Binds the login to the client that started it. Shown once. */
	readonly secret: string;
	readonly expiresMs: number;
	/** The time from which another code may be requested. */
	readonly resendMs: number;
}

/** A login that is under way, as its page shows it. */
export interface Login extends Omit<StartedLogin, "secret"> {
	readonly purpose: LoginPurpose;
	readonly email: string;
	/** 0: this login cannot succeed any more; start another one. */
	readonly attemptsLeft: number;
	readonly target: (NonNullable<LoginStart["target"]> & { readonly appId: string }) | null;
	/** JSON: what the page that asked for a step-up does then. */
	readonly deed: string | null;
}

export interface VerifiedLogin {
	readonly account: Account;
	readonly session: Session;
	/** The secret of the new session; null for `step_up` and `email`, which make none. */
	readonly secret: string | null;
	/** Whether this sign-in made the account. */
	readonly made: boolean;
	/** A token for this device to keep: next time strangers' wrong codes do not lock it out. */
	readonly deviceToken: string;
}

export interface SentCode {
	readonly id: string;
	readonly secret: string;
	/** The code as typed. */
	readonly code: string;
	/** Network address. */
	readonly address: string;
	/** The kind of session that a sign-in makes. */
	readonly kind: SignInKind;
	/** The language of the page where the code was typed, in which the person gets mails from now on. */
	readonly locale?: Locale | undefined;
	readonly requestId?: string | null;
}

const MINUTE_MS = 60_000;
const RESEND_AFTER_MS = MINUTE_MS;
/** How many codes may be typed for one login. */
export const TRIES = 5;

/**
 * Sends a code. An address without an account gets the same work and the same answer: signing up is signing in.
 * @throws Failure validation_error under `email`, rate_limited
 */
export async function startLogin(room: People, start: LoginStart): Promise<StartedLogin> {
	const email = parseEmail(start.email);
	const emailNorm = foldEmail(email);
	const id = newId("log");
	const secret = newToken();
	const sent = start.link ? await mintLink(room, id, start.link) : await mintCode(room, { id, emailNorm });
	const throttleOwner = await throttleOwnerOf(room, start, emailNorm);
	const login = {
		id,
		purpose: start.purpose,
		secretHash: await hashSecret(secret),
		email,
		emailNorm,
		accountPk: start.person?.account.pk ?? null,
		sessionId: start.person?.session.id ?? null,
		appPk: start.target?.appPk ?? null,
		redirectUri: start.target?.redirectUri ?? null,
		state: start.target?.state ?? null,
		deed: start.deed ?? null,
		device: start.device,
		throttleOwner,
		...sent.kept,
	};
	const limits = await limitsOf(room, throttleOwner, start.address);
	const said = { key: sent.key, app: start.target?.appName, locale: start.locale };
	const mail = await loginMail(room, login, said);
	const refused = await room.logins.start(login, start.link ? { ...limits, tries: undefined } : limits, mail);
	if (refused) throw tooOften(refused, sent.kept.sentMs);
	return { id, secret, expiresMs: sent.kept.expiresMs, resendMs: sent.kept.sentMs + RESEND_AFTER_MS };
}

/**
 * Sends another code for the same login; the old one is void. Used tries stay counted.
 * @throws Failure rate_limited too soon after the last one and past the limits, invalid_code where there is no such open login
 */
export async function resendLogin(
	room: People,
	sent: Pick<SentCode, "id" | "secret" | "address" | "locale">,
): Promise<StartedLogin> {
	const { id, secret, address, locale } = sent;
	const open = await openLogin(room, id, secret);
	const login = open && (await room.logins.find(open));
	if (!login || login.attempts >= TRIES) throw new Failure("invalid_code");
	const { key, kept } = await mintCode(room, login);
	const said = { key, app: login.app?.name, locale };
	const mail = await loginMail(room, login, said);
	const limits = await limitsOf(room, login.throttleOwner, address);
	const refused = await room.logins.resend(open, { ...kept, notSinceMs: kept.sentMs - RESEND_AFTER_MS }, limits, mail);
	if (refused === "gone") throw new Failure("invalid_code");
	if (refused === "early") throw tooOften({ untilMs: login.sentMs + RESEND_AFTER_MS }, kept.sentMs);
	if (refused) throw tooOften(refused, kept.sentMs);
	return { id, secret, expiresMs: kept.expiresMs, resendMs: kept.sentMs + RESEND_AFTER_MS };
}

/** Undefined for a login that is unknown, done or expired, and for another secret than its own. */
export async function findLogin(room: People, sent: Pick<SentCode, "id" | "secret">): Promise<Login | undefined> {
	const { id, secret } = sent;
	const open = await openLogin(room, id, secret);
	const login = open && (await room.logins.find(open));
	if (!login) return undefined;
	const { purpose, email, expiresMs, sentMs, attempts, app, redirectUri, state, deed } = login;
	const attemptsLeft = Math.max(0, TRIES - attempts);
	const target =
		app && redirectUri !== null ? { appPk: app.pk, appId: app.id, appName: app.name, redirectUri, state } : null;
	return { id, purpose, email, expiresMs, resendMs: sentMs + RESEND_AFTER_MS, attemptsLeft, target, deed };
}

/**
 * @throws Failure invalid_code for a wrong code, and alike for a login that is unknown, done, expired, out of tries or another's;
 * rate_limited after too many wrong codes; forbidden for an account that may not sign in; validation_error under `email` for a new
 * address that is another account's
 */
export async function verifyLogin(room: People, sent: SentCode): Promise<VerifiedLogin> {
	const login = await takeTry(room, sent);
	return await finish(room, sent, login, triesBucket(login.throttleOwner));
}

/**
 * The same by the token of a link that was mailed instead of a code. Where codes are locked, they stay locked: nothing was tried.
 * @throws Failure invalid_code for a wrong token, and alike for a login that is unknown, done, expired or another's; forbidden
 */
export async function verifyLink(room: People, sent: Omit<SentCode, "code">, token: string): Promise<VerifiedLogin> {
	const open = await openLogin(room, sent.id, sent.secret);
	const login = open && (await room.logins.find(open));
	if (!login || !sameBytes(await linkMacOf(room.loginMac, sent.id, token), login.codeMac)) {
		throw new Failure("invalid_code");
	}
	return await finish(room, sent, login, undefined);
}

/** The App that a mailed link would connect its reader to; null for none, undefined for a link that leads nowhere any more. */
export async function findLinkedApp(
	room: People,
	{ id, token }: { readonly id: string; readonly token: string },
): Promise<LoginRecord["app"] | undefined> {
	if (!isId("log", id)) return undefined;
	const codeMac = await linkMacOf(room.loginMac, id, token);
	return await room.logins.findLinkedApp({ id, codeMac, nowMs: room.clock.now() });
}

/** @param tries the bucket that the try was counted in */
async function finish(
	room: People,
	sent: Omit<SentCode, "code">,
	login: LoginRecord,
	tries: string | undefined,
): Promise<VerifiedLogin> {
	const proven = {
		login,
		tries,
		locale: sent.locale ?? null,
		requestId: sent.requestId ?? null,
		nowMs: room.clock.now(),
	};
	const { sessionId, secret, accountId } = await ENDINGS[login.purpose](room, proven, sent);
	const person = await room.sessions.find(sessionId, proven.nowMs);
	if (!person) throw mayNotSignIn();
	const made = person.account.id === accountId;
	return {
		...person,
		secret,
		made,
		deviceToken: await deviceToken(room.loginMac, login.emailNorm, login.throttleOwner),
	};
}

/** Counts the try before it checks the code: of many concurrent tries only the allowed number is checked. */
async function takeTry(room: People, { id, secret, code }: SentCode): Promise<LoginRecord> {
	const open = await openLogin(room, id, secret);
	const login = open && (await room.logins.find(open));
	const digits = readCode(code);
	if (!login || digits === undefined) throw new Failure("invalid_code");
	const refused = await room.logins.countTry(open, login.codeMac, TRIES, triesBucket(login.throttleOwner));
	if (refused === "gone") throw new Failure("invalid_code");
	if (refused) throw tooOften(refused, open.nowMs);
	if (!sameBytes(await codeMacOf(room.loginMac, id, digits), login.codeMac)) throw new Failure("invalid_code");
	return login;
}

interface Ending {
	readonly sessionId: string;
	readonly secret: string | null;
	/** Of the account that a sign-in would make. */
	readonly accountId?: string;
}

type End = (room: People, proven: Proven, sent: Omit<SentCode, "code">) => Promise<Ending>;

/** The effect of a right code, by purpose. */
const ENDINGS: Readonly<Record<LoginPurpose, End>> = {
	console: signIn,
	connect: signIn,
	account: signIn,
	step_up: confirm,
	email: changeEmail,
};

async function signIn(
	room: People,
	proven: Proven,
	{ address, kind }: Pick<SentCode, "address" | "kind">,
): Promise<Ending> {
	const { device } = proven.login;
	const { secret, session } = await newSession(room, { kind, device, address }, proven.nowMs);
	const accountId = newId("acc");
	const letters = await newDeviceLetters(room, proven, session);
	const refused = await room.logins.signIn(proven, { ...session, accountId }, letters);
	if (refused === "gone") throw new Failure("invalid_code");
	if (refused === "inactive") throw mayNotSignIn();
	return { sessionId: session.id, secret, accountId };
}

/** None to a device that has signed in before, and none for the sign-in that makes the account. */
async function newDeviceLetters(room: People, proven: Proven, session: NewSession): Promise<readonly NewLetter[]> {
	const { throttleOwner, emailNorm } = proven.login;
	const holder = throttleOwner.startsWith("email:") ? await room.logins.findHolder(emailNorm) : undefined;
	if (!holder) return [];
	const about = { deed: "device", subject: session.id, origin: session } as const;
	return [await newLetter(room, holder, about, proven.nowMs)];
}

async function confirm(room: People, proven: Proven): Promise<Ending> {
	const sessionId = proven.login.sessionId ?? "";
	if (await room.logins.confirm(proven, proven.nowMs + FRESH_MS)) throw new Failure("invalid_code");
	return { sessionId, secret: null };
}

async function changeEmail(room: People, proven: Proven): Promise<Ending> {
	const sessionId = proven.login.sessionId ?? "";
	const person = await room.sessions.find(sessionId, proven.nowMs);
	if (!person) throw new Failure("invalid_code");
	const { email: oldEmail, pk: accountPk } = person.account;
	const change = {
		...{ ref: newRef(), accountPk, oldEmail, oldEmailNorm: foldEmail(oldEmail), newEmail: proven.login.email },
		...{ createdMs: proven.nowMs, untilMs: proven.nowMs + WAY_BACK_MS, undoneMs: null },
	};
	const link = await undoLink(room, change.ref);
	const facts = { email: maskedEmail(change.newEmail), link, days: WAY_BACK_DAYS };
	const mail = newMail("email_changed", oldEmail, facts);
	const told = { pk: accountPk, email: change.newEmail };
	const masked = { name: maskedEmail(oldEmail), who: maskedEmail(change.newEmail) };
	const about = { deed: "address", subject: change.ref, origin: originOf(person), ...masked } as const;
	const letters = [await newLetter(room, told, about, proven.nowMs)];
	const refused = await room.logins.changeEmail(proven, { change, freshMs: proven.nowMs + FRESH_MS, mail, letters });
	if (refused === "gone") throw new Failure("invalid_code");
	if (refused === "taken") throw invalid("email", "belongs to another account");
	return { sessionId, secret: null };
}

/** For an account that is disabled or being deleted. */
export function mayNotSignIn(): Failure {
	return Failure.saying("forbidden", "This account may not sign in.");
}

async function openLogin(room: People, id: string, secret: string): Promise<OpenLogin | undefined> {
	if (!isId("log", id)) return undefined;
	return { id, secretHash: await hashSecret(secret), nowMs: room.clock.now() };
}

async function mintCode(room: People, { id, emailNorm }: Pick<LoginRecord, "id" | "emailNorm">) {
	const code = isTestAddress(room, emailNorm) ? TEST_CODE : newCode();
	return minted(room, { code }, await codeMacOf(room.loginMac, id, code));
}

async function mintLink(room: People, id: string, address: NonNullable<LoginStart["link"]>) {
	const token = newLinkToken();
	return minted(room, { link: address(id, token) }, await linkMacOf(room.loginMac, id, token));
}

function minted({ clock }: People, key: Key, codeMac: Uint8Array<ArrayBuffer>) {
	const sentMs = clock.now();
	return { key, kept: { codeMac, sentMs, expiresMs: sentMs + CODE_MINUTES * MINUTE_MS } };
}

async function throttleOwnerOf(room: People, start: LoginStart, emailNorm: string): Promise<string> {
	const { purpose, knownDevice, person } = start;
	if (purpose === "step_up" && person) return `live:${person.account.id}`;
	const named = await hashedName(room.loginMac, "email", emailNorm);
	if (isTestAddress(room, emailNorm)) return `test:${named}`;
	if (purpose === "email") return `change:${named}`;
	const nonce = await knownNonce(room.loginMac, emailNorm, knownDevice);
	return nonce === undefined ? `email:${named}` : `device:${nonce}`;
}

async function limitsOf(room: People, throttleOwner: string, address: string): Promise<SendLimits> {
	return sendLimits(throttleOwner, await networksOf(room.loginMac, address), room.signInRates);
}

/** Wrong codes keep new devices out: no code is taken or sent for a while, and a link gets a person in all the same. */
export class LockedOut extends Failure {
	constructor(retryAfterSeconds: number) {
		super("rate_limited", undefined, { retryAfterSeconds });
	}
}

/** What was limited can be asked for again at the end of its window. */
export function tooOften({ untilMs, locked = false }: Limited & Partial<LimitedLogin>, nowMs: number): Failure {
	const retryAfterSeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1_000));
	return locked ? new LockedOut(retryAfterSeconds) : new Failure("rate_limited", undefined, { retryAfterSeconds });
}
