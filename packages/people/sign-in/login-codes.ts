import type { Mac } from "@svc/base/crypto/macs";
import type { Locale, LoginPurpose } from "@svc/base/enumerations";
import { type NewMail, newMail, sealedMail } from "@svc/mail/mail";
import { maskedEmail, undoLink } from "../address-changes.ts";
import type { People } from "../room.ts";
import type { NewLogin } from "./logins.ts";
import type { LoginStore } from "./logins-store.ts";

/* Six digits are few: the limits on tries keep them from being guessed (login-limits.ts). */

/** How long a code is valid. */
export const CODE_MINUTES = 10;
const CODES = 1_000_000;
// The largest multiple of a million below 2^32; larger draws are repeated, so that every code is equally likely.
const FAIR = Math.floor(2 ** 32 / CODES) * CODES;

/** The code of every test person, always: a program that tests an App has no mailbox to look into. */
export const TEST_CODE = "424242";

/** `draw` returns 32 random bits. */
export function newCode(draw: () => number = randomBits): string {
	let drawn = draw();
	while (drawn >= FAIR) drawn = draw();
	return String(drawn % CODES).padStart(6, "0");
}

function randomBits(): number {
	return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** The six digits of a code as people type it; undefined for a text that cannot be one. */
export function readCode(typed: string): string | undefined {
	const code = typed.normalize("NFKC").replace(/[\s-]/g, "");
	return /^[0-9]{6}$/.test(code) ? code : undefined;
}

/** The stored digest of a code. Bound to its login, and useless without the deployment's secret. */
export function codeMacOf(mac: Mac, loginId: string, code: string): Promise<Uint8Array<ArrayBuffer>> {
	return mac("code", loginId, code);
}

/** The stored digest of a link's token. No six digits are one: a login with a link takes no code. */
export function linkMacOf(mac: Mac, loginId: string, token: string): Promise<Uint8Array<ArrayBuffer>> {
	return mac("link", loginId, token);
}

/** What proves that the mail was read: a code to type, or a link to open. */
export type Key = { readonly code: string } | { readonly link: string };

/** What stands in the mail of a login. */
interface Said {
	readonly key: Key;
	readonly app: string | undefined;
	readonly locale: Locale | undefined;
}

/**
 * What is mailed for a login: its code, or to an address that its account gave up lately a letter that says so, and leads back. The
 * answer to the request is the same.
 */
export async function loginMail(
	room: People,
	login: Pick<NewLogin, "purpose" | "email" | "emailNorm">,
	said: Said,
): Promise<NewMail> {
	return sealedMail(room.keyring, await mailOf(room, login, said));
}

async function mailOf(
	room: People,
	login: Pick<NewLogin, "purpose" | "email" | "emailNorm">,
	said: Said,
): Promise<NewMail> {
	const change = ["step_up", "email"].includes(login.purpose)
		? undefined
		: await room.addressChanges.findGivenUp(login.emailNorm, room.clock.now());
	if (!change) return codeMail(login.purpose, await recipientOf(room.logins, login), said);
	const { oldEmail, newEmail, ref, untilMs } = change;
	const facts = {
		email: maskedEmail(newEmail),
		until: new Date(untilMs).toISOString(),
		link: await undoLink(room, ref),
	};
	return { ...newMail("address_given_up", oldEmail, facts), locale: said.locale };
}

/** Two spellings that fold alike may be two mailboxes: a code for an account goes to the mailbox that the account has proven. */
async function recipientOf(
	logins: Pick<LoginStore, "findAddress">,
	{ purpose, email, emailNorm }: Pick<NewLogin, "purpose" | "email" | "emailNorm">,
): Promise<string> {
	const proven = await logins.findAddress(emailNorm);
	return purpose === "email" ? email : (proven ?? email);
}

function codeMail(purpose: LoginPurpose, recipient: string, { locale, ...said }: Said): NewMail {
	return { ...letterFor(purpose, recipient, said), locale };
}

function letterFor(purpose: LoginPurpose, recipient: string, { key, app = "" }: Omit<Said, "locale">): NewMail {
	const minutes = CODE_MINUTES;
	if ("link" in key) {
		const facts = { ...key, minutes };
		return purpose === "connect"
			? newMail("connect_link", recipient, { ...facts, app })
			: newMail("sign_in_link", recipient, facts);
	}
	const facts = { ...key, minutes };
	switch (purpose) {
		case "connect":
			return newMail("connect_code", recipient, { ...facts, app });
		case "step_up":
			return newMail("step_up_code", recipient, facts);
		case "email":
			return newMail("email_change_code", recipient, facts);
		default:
			return newMail("sign_in_code", recipient, facts);
	}
}
