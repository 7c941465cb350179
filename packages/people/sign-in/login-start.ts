import { newToken } from "@svc/base/crypto/macs";
import { hashSecret } from "@svc/base/crypto/secrets";
import type { Limited } from "@svc/base/database/rate-shared";
import { foldEmail, isTestAddress, parseEmail } from "@svc/base/email";
import type { Locale, LoginPurpose } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { newLinkToken } from "../letter-links.ts";
import type { Person } from "../people.ts";
import type { People } from "../room.ts";
import { CODE_MINUTES, codeMacOf, type Key, linkMacOf, loginMail, newCode, TEST_CODE } from "./login-codes.ts";
import { hashedName, knownNonce, networksOf, ownPasskeyThrottle, sendLimits } from "./login-limits.ts";
import type { LimitedLogin, LoginRecord, OpenLogin, SendLimits, SentCode } from "./logins.ts";

/* The first half of every sign-in: a code, or a link, is mailed. The second half stands in sign-in.ts. */

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
	/** For `step_up` only: no code is mailed until it is asked for, since the person may have another proof. Default: false. */
	readonly unsent?: boolean | undefined;
	/** The request that asks under an Idempotency-Key: asked again, it mails nothing a second time. */
	readonly requestId?: string | undefined;
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
	/** Whether a code was mailed by now. */
	readonly isSent: boolean;
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
		sends: start.unsent ? 0 : 1,
		...sent.kept,
	};
	const limits = await limitsOf(room, throttleOwner, start);
	const said = { key: sent.key, app: start.target?.appName, locale: start.locale };
	const mail = start.unsent ? undefined : await loginMail(room, login, said);
	const refused = await room.logins.start(login, limits, mail, start.requestId ?? null);
	if (refused) throw tooOften(refused, sent.kept.sentMs);
	return { id, secret, expiresMs: sent.kept.expiresMs, resendMs: resendMsOf(login) };
}

/** The code of a login that was not sent is known to nobody, and the one that is sent later is another. */
function resendMsOf({ sends, sentMs }: Pick<LoginRecord, "sends" | "sentMs">): number {
	return sends === 0 ? sentMs : sentMs + RESEND_AFTER_MS;
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
	const limits = await limitsOf(room, login.throttleOwner, { address });
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
	const { purpose, email, expiresMs, attempts, app, redirectUri, state, deed } = login;
	const attemptsLeft = Math.max(0, TRIES - attempts);
	const target =
		app && redirectUri !== null ? { appPk: app.pk, appId: app.id, appName: app.name, redirectUri, state } : null;
	const resendMs = resendMsOf(login);
	return { id, purpose, email, expiresMs, resendMs, attemptsLeft, target, deed, isSent: login.sends > 0 };
}

/** The App that a mailed link would connect its reader to; null for none, undefined for a link that leads nowhere any more. */
export async function findLinkedApp(
	room: People,
	{ id, token }: { readonly id: string; readonly token: string },
): Promise<LoginRecord["app"] | undefined> {
	if (!isId("log", id)) return undefined;
	const nowMs = room.clock.now();
	for (const mac of room.proofs.all()) {
		const found = await room.logins.findLinkedApp({ id, codeMac: await linkMacOf(mac, id, token), nowMs });
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Undefined for what is no id of a login. */
export async function openLogin(room: People, id: string, secret: string): Promise<OpenLogin | undefined> {
	if (!isId("log", id)) return undefined;
	return { id, secretHash: await hashSecret(secret), nowMs: room.clock.now() };
}

async function mintCode(room: People, { id, emailNorm }: Pick<LoginRecord, "id" | "emailNorm">) {
	const code = isTestAddress(room, emailNorm) ? TEST_CODE : newCode();
	return minted(room, { code }, await codeMacOf(room.proofs.current(), id, code));
}

async function mintLink(room: People, id: string, address: NonNullable<LoginStart["link"]>) {
	const token = newLinkToken();
	return minted(room, { link: address(id, token) }, await linkMacOf(room.proofs.current(), id, token));
}

function minted({ clock }: People, key: Key, codeMac: Uint8Array<ArrayBuffer>) {
	const sentMs = clock.now();
	return { key, kept: { codeMac, sentMs, expiresMs: sentMs + CODE_MINUTES * MINUTE_MS } };
}

async function throttleOwnerOf(room: People, start: LoginStart, emailNorm: string): Promise<string> {
	const { purpose, knownDevice, person } = start;
	if (purpose === "step_up" && person) return `live:${person.account.id}`;
	const named = await hashedName(room.nameMac, "email", emailNorm);
	if (isTestAddress(room, emailNorm)) return `test:${named}`;
	if (purpose === "email") return `change:${named}`;
	const nonce = await knownNonce(room.proofs, emailNorm, knownDevice);
	return nonce === undefined ? `email:${named}` : `device:${nonce}`;
}

async function limitsOf(
	room: People,
	throttleOwner: string,
	{ address, link, unsent, person }: Pick<LoginStart, "address" | "link" | "unsent" | "person">,
): Promise<SendLimits> {
	if (unsent && person) return { sends: [ownPasskeyThrottle(person.account.id)], tries: undefined };
	const limits = sendLimits(throttleOwner, await networksOf(room.nameMac, address), room.signInRates);
	return link ? { ...limits, tries: undefined } : limits;
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
