import { type Mac, sameBytes } from "@svc/base/crypto/macs";
import { foldEmail } from "@svc/base/email";
import type { LoginPurpose } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import { newMail, sealedMail } from "@svc/mail/mail";
import { maskedEmail, undoLink, WAY_BACK_DAYS, WAY_BACK_MS } from "../address-changes.ts";
import { newRef } from "../letter-links.ts";
import type { NewLetter } from "../letters/security-letter.ts";
import { newLetter, originOf } from "../letters/security-letters.ts";
import type { Account, Session } from "../people.ts";
import type { People } from "../room.ts";
import type { NewSession } from "../session.ts";
import { FRESH_MS, newSession } from "../sessions.ts";
import { codeMacOf, linkMacOf, readCode } from "./login-codes.ts";
import { deviceToken, triesBucket } from "./login-limits.ts";
import { openLogin, TRIES, tooOften } from "./login-start.ts";
import type { LoginRecord, Proven, SentCode } from "./logins.ts";

/* The second half of every sign-in: the code that was typed, or the link that was opened, and what it makes true. */

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
	if (!login || !(await isProof(room, login, (mac) => linkMacOf(mac, sent.id, token))))
		throw new Failure("invalid_code");
	return await finish(room, sent, login, undefined);
}

/**
 * What a login that was proven makes true.
 * @param tries the bucket that the try was counted in
 */
export async function finish(
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
		deviceToken: await deviceToken(room.proofs, login.emailNorm, login.throttleOwner),
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
	if (!(await isProof(room, login, (mac) => codeMacOf(mac, id, digits)))) throw new Failure("invalid_code");
	return login;
}

/** Whether a login's digest is that of what was sent, under any of the keys that are taken. */
async function isProof(
	{ proofs }: Pick<People, "proofs">,
	{ codeMac }: Pick<LoginRecord, "codeMac">,
	digestBy: (mac: Mac) => Promise<Uint8Array>,
): Promise<boolean> {
	for (const mac of proofs.all()) if (sameBytes(await digestBy(mac), codeMac)) return true;
	return false;
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
	const mail = sealedMail(room.keyring, newMail("email_changed", oldEmail, facts));
	const addressee = { pk: accountPk, email: change.newEmail };
	const masked = { name: maskedEmail(oldEmail), who: maskedEmail(change.newEmail) };
	const about = { deed: "address", subject: change.ref, origin: originOf(person), ...masked } as const;
	const letters = [await newLetter(room, addressee, about, proven.nowMs)];
	const refused = await room.logins.changeEmail(proven, { change, freshMs: proven.nowMs + FRESH_MS, mail, letters });
	if (refused === "gone") throw new Failure("invalid_code");
	if (refused === "taken") throw invalid("email", "belongs to another account");
	return { sessionId, secret: null };
}

/** For an account that is disabled or being deleted. */
export function mayNotSignIn(): Failure {
	return Failure.saying("forbidden", "This account may not sign in.");
}
