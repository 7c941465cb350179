import type { By } from "@svc/base/actor";
import type { Limited, Throttle } from "@svc/base/database/rate-shared";
import type { NewJob } from "@svc/jobs/jobs";
import type { NewMail } from "@svc/mail/mail";
import type { Account, Person, Session } from "./people.ts";
import type { LoginPurpose } from "./sign-in.ts";

/* What is asked of the world about signing in, sessions and tokens; see ports.ts. */

export interface NewLogin {
	readonly id: string;
	readonly purpose: LoginPurpose;
	readonly secretHash: Uint8Array<ArrayBuffer>;
	readonly email: string;
	readonly emailNorm: string;
	readonly codeMac: Uint8Array<ArrayBuffer>;
	readonly accountPk: number | null;
	readonly sessionId: string | null;
	readonly appPk: number | null;
	readonly redirectUri: string | null;
	readonly state: string | null;
	readonly device: string;
	/** Whose allowance its mails and wrong codes are taken from. */
	readonly budget: string;
	readonly sentMs: number;
	readonly expiresMs: number;
}

export interface LoginRecord extends Omit<NewLogin, "secretHash"> {
	/** Tries so far. */
	readonly attempts: number;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string } | null;
}

/** By id and the SHA-256 of the secret; open: not done, not expired. */
export interface OpenLogin {
	readonly id: string;
	readonly secretHash: Uint8Array<ArrayBuffer>;
	readonly nowMs: number;
}

export interface SendLimits {
	/** Each counts this mail. */
	readonly sends: readonly Throttle[];
	/** Must have room left for a wrong code, and counts nothing. */
	readonly tries: Throttle;
}

/** What a right code changes, besides ending its login. */
export interface Proven {
	readonly login: LoginRecord;
	/** The bucket that the try was counted in: a right code is no failure. */
	readonly triesBucket: string;
	readonly requestId: string | null;
	readonly nowMs: number;
}

export interface NewSession {
	readonly id: string;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly kind: "web" | "console";
	readonly device: string;
	readonly addressMac: Uint8Array<ArrayBuffer>;
	readonly freshMs: number;
	readonly expiresMs: number;
	/** Id of the account, where the address has none yet. */
	readonly accountId: string;
}

export interface LoginStore {
	/** The address that an account's mail goes to; undefined for an address without an account. */
	findAddress(emailNorm: string): Promise<string | undefined>;
	/** One guarded commit: throttles, login, mail. */
	start(login: NewLogin, limits: SendLimits, mail: NewMail): Promise<Limited | undefined>;
	find(open: OpenLogin): Promise<LoginRecord | undefined>;
	/** Another code for an open login with tries left, last sent at `notSinceMs` or before; the old one is void. */
	resend(
		open: OpenLogin,
		code: Pick<NewLogin, "codeMac" | "sentMs" | "expiresMs"> & { readonly notSinceMs: number },
		limits: SendLimits,
		mail: NewMail,
	): Promise<Limited | "gone" | "early" | undefined>;
	/**
	 * Counts a try before anybody looks whether it is right; "gone" too when the login has had `most` of them, or another code than
	 * this one by now.
	 */
	countTry(
		open: OpenLogin,
		codeMac: Uint8Array<ArrayBuffer>,
		most: number,
		tries: Throttle,
	): Promise<Limited | "gone" | undefined>;
	/** A code proves one address once: the login is done, the account made if it is new, the session made. */
	signIn(proven: Proven, session: NewSession): Promise<"gone" | "inactive" | undefined>;
	/** Makes the session that asked fresh until then. */
	confirm(proven: Proven, freshMs: number): Promise<"gone" | undefined>;
	/** Gives the account that asked its new address, and tells the old one. */
	changeEmail(proven: Proven, mail: NewMail): Promise<"gone" | "taken" | undefined>;
	/** Removes at most `limit` logins, throttles and ended sessions each that nothing asks for any more; returns how many. */
	forget(nowMs: number, limit: number): Promise<number>;
}

/** A session or token in a list. */
export interface ListedSession extends Session {
	/** Its place in lists of one account: milliseconds since 1970. */
	readonly pk: number;
}

export interface SessionPage {
	readonly limit: number;
	readonly beforePk?: number | undefined;
	/** Only this token and those that it made, and so on. */
	readonly within?: string | undefined;
}

export interface NewToken {
	readonly id: string;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly name: string;
	readonly appPk: number | null;
	readonly scopes: string;
	readonly expiresMs: number;
}

export interface SessionStore {
	/** Neither revoked nor expired, of an active account. */
	find(id: string, nowMs: number): Promise<Person | undefined>;
	/** Newest first, without revoked and expired ones. */
	list(
		accountPk: number,
		what: "sessions" | "tokens",
		page: SessionPage,
		nowMs: number,
	): Promise<readonly ListedSession[]>;
	/** With all tokens that it made; false when there is none. */
	revoke(
		account: Account,
		what: "sessions" | "tokens",
		named: { readonly id: string; readonly within?: string | undefined },
		by: By,
	): Promise<boolean>;
	/** "gone" when the session that makes it has ended; "full" when the account holds `most` tokens. */
	createToken(maker: Person, token: NewToken, most: number, by: By): Promise<"gone" | "full" | undefined>;
}

export interface MeStore {
	/** Names of the Apps that an account owns. */
	listOwned(accountPk: number): Promise<readonly string[]>;
	/** One guarded commit: nothing of the account can be used any more, and the job that removes it is due. */
	startDeletion(
		account: Account,
		job: NewJob<"account.delete">,
		by: By,
	): Promise<"owner" | "last_operator" | "gone" | undefined>;
}
