import { isTestAddress, parseEmail } from "@svc/base/email";
import type { Locale } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { type Account, type Person, requireFresh, requireSession } from "./people.ts";
import type { People } from "./room.ts";
import { type StartedLogin, startLogin } from "./sign-in/login-start.ts";

/**
 * Sends a code to a new address, which becomes the account's once the code is verified. Whether it is another account's is shown only
 * then, to a person who has proven that they read its mail.
 * @throws Failure forbidden for a token and for a session that is not fresh, validation_error under `email`, rate_limited
 */
export async function startEmailChange(
	room: People,
	person: Person,
	{ email, address }: { readonly email: string; readonly address: string },
): Promise<StartedLogin> {
	requireSession(person);
	if (parseEmail(email) === person.account.email) throw invalid("email", "is your address already");
	// A person who became a test person would hand the account to everybody, and the team of an App to test people.
	if (isTestAddress(room, email) !== isTestAddress(room, person.account.email)) {
		throw invalid("email", "must be a test person's for a test person, and for nobody else");
	}
	requireFresh(person, room.clock.now());
	const device = person.session.device ?? "";
	return await startLogin(room, { purpose: "email", email, device, address, knownDevice: null, person });
}

/** Chooses the language of the pages and of mails; null: what the browser asks for. @returns the account as it is now */
export async function chooseLocale(room: People, { account }: Person, locale: Locale | null): Promise<Account> {
	await room.store.setLocale(account.pk, locale);
	return { ...account, locale };
}

interface StepUp {
	/** Network address. */
	readonly address: string;
	/** JSON: what the page that asks does then. */
	readonly deed?: string;
	/** The code is mailed only when it is asked for. Default: false. */
	readonly unsent?: boolean;
	readonly requestId?: string;
}

/**
 * Sends the code that makes a session fresh.
 * @throws Failure forbidden for a token, rate_limited
 */
export async function startStepUp(room: People, person: Person, asked: StepUp): Promise<StartedLogin> {
	requireSession(person);
	const { email } = person.account;
	const device = person.session.device ?? "";
	return await startLogin(room, { purpose: "step_up", email, device, knownDevice: null, person, ...asked });
}
