import { foldEmail } from "@svc/base/email";
import type { Locale, SignInKind } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import type { NewLetter, Origin } from "../letters/security-letter.ts";
import { newLetter } from "../letters/security-letters.ts";
import { type Person, requireSession } from "../people.ts";
import type { People } from "../room.ts";
import { FRESH_MS, newSession } from "../sessions.ts";
import { deviceToken, knownNonce, networksOf, ownPasskeyThrottle, passkeyThrottles } from "../sign-in/login-limits.ts";
import { tooOften } from "../sign-in/login-start.ts";
import { mayNotSignIn, type VerifiedLogin } from "../sign-in/sign-in.ts";
import type { PasskeyOptions, ProvenPasskey } from "./passkey.ts";
import { readAssertion } from "./passkey-credentials.ts";
import { proveAssertion, requestOptions } from "./passkey-proofs.ts";
import { findOptions, newOptions, notProven, requireName, type ShownOptions } from "./passkeys.ts";

/* Signing in with a passkey, and confirming who one is. Wrong codes of strangers keep no passkey out. */

export interface SentAssertion {
	/** Id of the options that it answers. */
	readonly options: string;
	/** As the browser says it; not checked yet. */
	readonly credential: unknown;
	/** The session that is to be confirmed, or null for a sign-in; undefined for whatever the options were asked for. */
	readonly sessionId?: string | null;
	/** The client's description of itself; at most 100 characters. */
	readonly device: string;
	/** Network address. */
	readonly address: string;
	/** The kind of session that a sign-in makes. */
	readonly kind: SignInKind;
	/** The token from an earlier sign-in on this device; any other value is ignored. */
	readonly knownDevice: string | null;
	readonly locale?: Locale | undefined;
	readonly requestId: string | null;
}

/**
 * What a browser needs to sign somebody in: it says itself which passkeys it has.
 * @param offered a page asks by itself, and nobody has pressed anything yet
 * @throws Failure state_conflict where the service has no name, rate_limited
 */
export async function startPasskeySignIn(room: People, address: string, offered = false): Promise<ShownOptions> {
	requireName(room);
	const nowMs = room.clock.now();
	const options = newOptions("sign_in", { accountPk: null, sessionId: null }, nowMs);
	const throttles = passkeyThrottles(await networksOf(room.nameMac, address), room.signInRates, offered);
	const refused = await room.passkeys.start(options, throttles);
	if (refused) throw tooOften(refused, nowMs);
	return { id: options.id, publicKey: await requestOptions(room, options.challenge) };
}

/**
 * What a browser needs to make a session fresh with one of the account's passkeys.
 * @throws Failure forbidden for a token, state_conflict for an account without passkeys and where the service has no name, rate_limited
 */
export async function startPasskeyStepUp(room: People, person: Person): Promise<ShownOptions> {
	requireSession(person);
	requireName(room);
	const { account, session } = person;
	const known = await room.passkeys.listCredentials(account.pk);
	if (known.length === 0)
		throw Failure.saying("state_conflict", "This account has no passkey: POST /v1/sessions/step-up mails a code.");
	const nowMs = room.clock.now();
	const options = newOptions("step_up", { accountPk: account.pk, sessionId: session.id }, nowMs);
	const refused = await room.passkeys.start(options, [ownPasskeyThrottle(account.id)]);
	if (refused) throw tooOften(refused, nowMs);
	return { id: options.id, publicKey: await requestOptions(room, options.challenge, known) };
}

/**
 * Signs in, or makes the session fresh that the options were asked for. They are used up, right or wrong.
 * @throws Failure invalid_code for whatever is no proof, and for a passkey that has signed fewer times than before; validation_error under
 * `credential` for what is malformed; forbidden for an account that may not sign in
 */
export async function verifyPasskey(room: People, sent: SentAssertion): Promise<VerifiedLogin> {
	const proven = await prove(room, sent);
	const { account } = proven.holder;
	const nonce = await knownNonce(room.proofs, foldEmail(account.email), sent.knownDevice);
	const ending =
		proven.options.purpose === "step_up"
			? await confirm(room, proven)
			: await signIn(room, proven, sent, nonce !== undefined);
	const person = await room.sessions.find(ending.sessionId, proven.nowMs);
	if (!person) throw mayNotSignIn();
	const owner = nonce === undefined ? "" : `device:${nonce}`;
	const token = await deviceToken(room.proofs, foldEmail(person.account.email), owner);
	return { ...person, secret: ending.secret, made: false, deviceToken: token };
}

async function prove(room: People, sent: SentAssertion): Promise<ProvenPasskey> {
	const nowMs = room.clock.now();
	const assertion = readAssertion(sent.credential);
	const options = await findOptions(room, sent.options, nowMs);
	if (!options || !isFor(options, sent)) throw notProven();
	const holder = await room.passkeys.findHolder(Uint8Array.fromBase64(assertion.id, { alphabet: "base64url" }));
	const theirs = holder && (options.accountPk === null || options.accountPk === holder.account.pk);
	const signing = holder && { publicKey: holder.publicKey, accountId: holder.account.id };
	const counter =
		theirs && signing
			? await proveAssertion(room, assertion, options.challenge, signing, options.purpose === "sign_in")
			: undefined;
	if (!holder || counter === undefined) {
		await room.passkeys.drop(options.id);
		throw notProven();
	}
	return { options, holder, counter, locale: sent.locale ?? null, requestId: sent.requestId, nowMs };
}

function isFor(options: PasskeyOptions, { sessionId }: SentAssertion): boolean {
	if (options.purpose === "add") return false;
	return sessionId === undefined || sessionId === options.sessionId;
}

interface Ending {
	readonly sessionId: string;
	readonly secret: string | null;
}

async function signIn(room: People, proven: ProvenPasskey, sent: SentAssertion, isKnown: boolean): Promise<Ending> {
	const { secret, session } = await newSession(room, sent, proven.nowMs);
	const { account } = proven.holder;
	const about = { deed: "device", subject: session.id, origin: session } as const;
	const letters = isKnown ? [] : [await newLetter(room, account, about, proven.nowMs)];
	await settle(room, proven, session, await room.passkeys.signIn(proven, session, letters));
	return { sessionId: session.id, secret };
}

async function confirm(room: People, proven: ProvenPasskey): Promise<Ending> {
	const refused = await room.passkeys.confirm(proven, proven.nowMs + FRESH_MS);
	await settle(room, proven, {}, refused);
	return { sessionId: proven.options.sessionId ?? "", secret: null };
}

/** A counter that runs backwards means that two authenticators hold the passkey: the person hears of it. */
async function settle(
	room: People,
	proven: ProvenPasskey,
	origin: Origin,
	refused: "gone" | "inactive" | "counter" | undefined,
): Promise<void> {
	if (refused === undefined) return;
	if (refused === "inactive") throw mayNotSignIn();
	if (refused === "counter") await room.passkeys.refuse(proven, [await counterLetter(room, proven, origin)]);
	throw notProven();
}

function counterLetter(room: People, { holder, nowMs }: ProvenPasskey, origin: Origin): Promise<NewLetter> {
	const about = { deed: "passkey_counter", subject: holder.id, name: holder.name, origin } as const;
	return newLetter(room, holder.account, about, nowMs);
}
