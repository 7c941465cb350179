import type { Limited, Throttle } from "@svc/base/database/rate-shared";
import type { Locale, LoginPurpose, SignInKind } from "@svc/base/enumerations";
import type { NewMail } from "@svc/mail/mail";
import type { AddressChange } from "../address-change.ts";
import type { NewLetter } from "../letters/security-letter.ts";
import type { NewSession } from "../session.ts";

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
	/** JSON: what a page does once a step-up's code is right. */
	readonly deed: string | null;
	readonly device: string;
	/** The bucket that its mails and wrong codes are counted in. */
	readonly throttleOwner: string;
	/** How often a code was mailed for it: 0 where the first one is yet to be asked for. */
	readonly sends: number;
	readonly sentMs: number;
	readonly expiresMs: number;
}

export interface LoginRecord extends Omit<NewLogin, "secretHash"> {
	/** Tries so far. */
	readonly attempts: number;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string } | null;
}

/** A login by id and the SHA-256 of the secret; open: not done, not expired. */
export interface OpenLogin {
	readonly id: string;
	readonly secretHash: Uint8Array<ArrayBuffer>;
	readonly nowMs: number;
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

/** A login by id and the digest of a link's token. */
export interface LinkedLogin {
	readonly id: string;
	readonly codeMac: Uint8Array<ArrayBuffer>;
	readonly nowMs: number;
}

export interface LimitedLogin extends Limited {
	/** It was wrong codes, rather than too many mails. */
	readonly locked: boolean;
}

export interface SendLimits {
	/** The throttles that count this mail. */
	readonly sends: readonly Throttle[];
	/** The bucket of wrong codes, which must not keep people out; nothing is counted. Undefined where wrong codes do not count. */
	readonly tries: string | undefined;
}

/** The changes that a right code makes, besides ending its login. */
export interface Proven {
	readonly login: LoginRecord;
	/** The bucket that the try was counted in: a right code is no failure. */
	readonly tries: string | undefined;
	/** The language of the page where the code was typed; null where no page was. */
	readonly locale: Locale | null;
	readonly requestId: string | null;
	readonly nowMs: number;
}

/** A new address that was proven. */
export interface NewAddress {
	readonly change: AddressChange & { readonly oldEmailNorm: string };
	/** Until when the session that changed it is fresh. */
	readonly freshMs: number;
	/** The letter to the old address. */
	readonly mail: NewMail;
	/** The one to the new address. */
	readonly letters: readonly NewLetter[];
}

/** The session of a sign-in by code. */
export interface SignInSession extends NewSession {
	/** Id of the account, where the address has none yet. */
	readonly accountId: string;
}
