import { hashSecret } from "@svc/base/crypto/secrets";
import { foldEmail } from "@svc/base/email";
import type { Locale } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { newId, randomBase62 } from "@svc/base/ids";
import type { Account } from "../people.ts";
import type { People } from "../room.ts";
import { hashedName } from "./login-limits.ts";
import { openLogin } from "./login-start.ts";
import type { LoginRecord } from "./logins.ts";
import { finish, type VerifiedLogin } from "./sign-in.ts";

/*
 * Tickets that open the console in a browser, for somebody who has proven otherwise who they are: by a fresh session in a terminal, or by what lies on
 * the service's own machine. Each is a login without a mail, and with a code that nobody knows: it ends, is used once, and is told of like any sign-in
 * from a new device.
 */

/** What a ticket shows where it was printed. */
const TICKET = /^([0-9A-Za-z]{22})([0-9A-Za-z]{22})$/;
const SECRET_LENGTH = 22;
const MAC_BYTES = 32;

/** `here`: only a browser on the service's own machine may use it. */
type Reach = "anywhere" | "here";
const DEEDS: Readonly<Record<Reach, string>> = { anywhere: '"console"', here: '"console here"' };

export interface ConsoleTicket {
	/** 130 bits by chance; shown once, kept as a hash. */
	readonly ticket: string;
	readonly expiresMs: number;
}

/** @param seconds for how long it may be used */
export async function issueTicket(
	room: People,
	{ pk, email }: Pick<Account, "pk" | "email">,
	{ seconds, reach }: { readonly seconds: number; readonly reach: Reach },
): Promise<ConsoleTicket> {
	const id = newId("log");
	const secret = randomBase62(SECRET_LENGTH);
	const emailNorm = foldEmail(email);
	const sentMs = room.clock.now();
	const expiresMs = sentMs + seconds * 1_000;
	const login = {
		...({ id, purpose: "account", secretHash: await hashSecret(secret), email, emailNorm, accountPk: pk } as const),
		...{ sessionId: null, appPk: null, redirectUri: null, state: null, deed: DEEDS[reach], device: "" },
		codeMac: crypto.getRandomValues(new Uint8Array(MAC_BYTES)),
		throttleOwner: `email:${await hashedName(room.nameMac, "email", emailNorm)}`,
		...{ sends: 0, sentMs, expiresMs },
	};
	await room.logins.start(login, { sends: [], tries: undefined }, undefined);
	return { ticket: `${id.slice("log_".length)}${secret}`, expiresMs };
}

/** Undefined for a ticket that is none, was used or has ended, and where the browser is elsewhere. */
export async function findTicket(
	room: People,
	ticket: string,
	isHere: boolean,
): Promise<(Pick<LoginRecord, "email"> & { readonly login: LoginRecord; readonly secret: string }) | undefined> {
	const [, id = "", secret = ""] = TICKET.exec(ticket) ?? [];
	const open = id === "" ? undefined : await openLogin(room, `log_${id}`, secret);
	const login = open && (await room.logins.find(open));
	if (!login || (login.deed !== DEEDS.anywhere && !(login.deed === DEEDS.here && isHere))) return undefined;
	// The address may have become another account's meanwhile, or nobody's.
	const holder = await room.logins.findHolder(login.emailNorm);
	return holder?.pk === login.accountPk ? { email: login.email, login, secret } : undefined;
}

interface TicketUse {
	readonly isHere: boolean;
	/** The browser, as its owner knows it in a list. */
	readonly device: string;
	/** Network address. */
	readonly address: string;
	readonly locale: Locale;
	readonly requestId: string;
}

/** Signs the ticket's person in, once. @throws Failure invalid_code as {@link findTicket} finds none; forbidden for an account that may not sign in */
export async function spendTicket(
	room: People,
	ticket: string,
	{ isHere, device, ...sent }: TicketUse,
): Promise<VerifiedLogin> {
	const found = await findTicket(room, ticket, isHere);
	if (!found) throw new Failure("invalid_code");
	const { login, secret } = found;
	return await finish(room, { ...sent, id: login.id, secret, kind: "web" }, { ...login, device }, undefined);
}
