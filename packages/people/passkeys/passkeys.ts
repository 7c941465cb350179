import type { Actor } from "@svc/base/actor";
import type { PasskeyPurpose } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { newLetter, originOf } from "../letters/security-letters.ts";
import { type Person, requireFresh, requireSession, stale } from "../people.ts";
import type { People } from "../room.ts";
import { ownPasskeyThrottle } from "../sign-in/login-limits.ts";
import { tooOften } from "../sign-in/login-start.ts";
import type { Passkey, PasskeyOptions } from "./passkey.ts";
import { PASSKEYS_MAX } from "./passkey.ts";
import { readNewCredential } from "./passkey-credentials.ts";
import {
	creationOptions,
	OPTIONS_MINUTES,
	type PublicKeyJson,
	proveNewPasskey,
	takesPasskeys,
} from "./passkey-proofs.ts";

/* The passkeys of an account: which it has, how one is added and removed. What they are good for stands in passkey-sign-in.ts. */

/** For the browser. */
export interface ShownOptions {
	readonly id: string;
	readonly publicKey: PublicKeyJson;
}

interface PasskeyRequest {
	/** Id of the options that it answers. */
	readonly options: string;
	readonly name: string;
	/** As the browser says it; not checked yet. */
	readonly credential: unknown;
}

interface PasskeySpan {
	readonly limit: number;
	readonly beforePk?: number | undefined;
}

/** The account's passkeys, newest first. @throws Failure forbidden for a token */
export async function listPasskeys(room: People, person: Person, span: PasskeySpan): Promise<readonly Passkey[]> {
	requireSession(person);
	return await room.passkeys.list(person.account.pk, span);
}

/** Whether the person has a passkey, and browsers can use one here. */
export async function hasPasskey(room: People, person: Person): Promise<boolean> {
	return takesPasskeys(room) && (await listPasskeys(room, person, { limit: 1 })).length > 0;
}

/** @throws Failure state_conflict where the service is reached by a number, for which no browser makes or uses a passkey */
export function requireName(room: People): void {
	if (takesPasskeys(room)) return;
	const message =
		"Browsers take passkeys for host names only, and this service is reached at an IP address: use a code.";
	throw Failure.saying("state_conflict", message);
}

/**
 * What a browser needs to make a passkey: good for five minutes, once.
 * @throws Failure validation_error where the account holds too many; forbidden for a token, and for a session that is not fresh;
 * state_conflict where the service has no name; rate_limited
 */
export async function startPasskey(room: People, person: Person): Promise<ShownOptions> {
	requireSession(person);
	requireName(room);
	const { account, session } = person;
	const known = await room.passkeys.listCredentials(account.pk);
	if (known.length >= PASSKEYS_MAX) throw full();
	const nowMs = room.clock.now();
	requireFresh(person, nowMs);
	const options = newOptions("add", { accountPk: account.pk, sessionId: session.id }, nowMs);
	const refused = await room.passkeys.start(options, [ownPasskeyThrottle(account.id)]);
	if (refused) throw tooOften(refused, nowMs);
	return { id: options.id, publicKey: await creationOptions(room, account, options.challenge, known) };
}

/**
 * Keeps a passkey, and tells the person in a letter.
 * @throws Failure validation_error under `credential` for one that is known, malformed or one too many; invalid_code where it does not
 * answer the options, or these are over; forbidden for a token, and for a session that is not fresh
 */
export async function addPasskey(room: People, person: Person, asked: PasskeyRequest, by: Actor): Promise<Passkey> {
	requireSession(person);
	const { account, session } = person;
	const credential = readNewCredential(asked.credential);
	const options = await findOptions(room, asked.options, by.nowMs);
	const mine = options?.purpose === "add" && options.sessionId === session.id && options.accountPk === account.pk;
	if (!options || !mine) throw notProven();
	const proven = await proveNewPasskey(room, credential, options.challenge);
	if (!proven) {
		await room.passkeys.drop(options.id);
		throw notProven();
	}
	const { transports } = credential.response;
	const made = { id: newId("psk"), name: asked.name, createdMs: by.nowMs, transports, ...proven };
	const about = { deed: "passkey_added", subject: made.id, name: made.name, origin: originOf(person) } as const;
	const letter = await newLetter(room, account, about, by.nowMs);
	const refused = await room.passkeys.add(person, options, made, [letter], by);
	if (refused !== undefined) throw REFUSALS[refused]();
	const added = await room.passkeys.find(account.pk, made.id);
	if (!added) throw new Failure("not_found");
	return added;
}

/** Removes one of the account's passkeys, and tells the person in a letter. @throws Failure not_found, forbidden as {@link addPasskey} */
export async function removePasskey(room: People, person: Person, id: string, by: Actor): Promise<void> {
	requireSession(person);
	const passkey = isId("psk", id) ? await room.passkeys.find(person.account.pk, id) : undefined;
	if (!passkey) throw new Failure("not_found");
	const about = { deed: "passkey_removed", subject: id, name: passkey.name, origin: originOf(person) } as const;
	const letter = await newLetter(room, person.account, about, by.nowMs);
	const refused = await room.passkeys.remove(person.account.pk, id, [letter], by);
	if (refused === "stale") throw stale();
	if (refused === "gone") throw new Failure("not_found");
}

const REFUSALS = {
	gone: () => notProven(),
	ended: () => new Failure("unauthorized"),
	known: () => invalid("credential", "is known here already"),
	full: () => full(),
	stale: () => stale(),
} as const;

/** Options that are neither used nor too old. */
export async function findOptions(room: People, id: string, nowMs: number): Promise<PasskeyOptions | undefined> {
	return isId("pko", id) ? await room.passkeys.findOptions(id, nowMs) : undefined;
}

export function newOptions(
	purpose: PasskeyPurpose,
	whose: Pick<PasskeyOptions, "accountPk" | "sessionId">,
	nowMs: number,
): PasskeyOptions {
	const challenge = crypto.getRandomValues(new Uint8Array(32));
	const expiresMs = nowMs + OPTIONS_MINUTES * 60_000;
	return { id: newId("pko"), purpose, challenge, ...whose, expiresMs, createdMs: nowMs };
}

/** One answer for all that is no proof: it tells nobody which passkeys there are. */
export function notProven(): Failure {
	const message = `This passkey is not known here, does not answer what was asked, or took longer than ${OPTIONS_MINUTES} minutes. Ask for new options, or sign in with a code.`;
	return Failure.saying("invalid_code", message);
}

function full(): Failure {
	return invalid("credential", `cannot be added: an account holds at most ${PASSKEYS_MAX} passkeys`);
}
