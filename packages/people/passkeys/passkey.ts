import type { Locale, PasskeyPurpose } from "@svc/base/enumerations";

/** A passkey as browsers find it again. */
export interface KnownCredential {
	readonly credentialId: Uint8Array;
	readonly transports: readonly string[];
}

/** A passkey, and whose it is. */
export interface PasskeyHolder {
	readonly id: string;
	readonly name: string;
	readonly publicKey: Uint8Array<ArrayBuffer>;
	readonly account: { readonly pk: number; readonly id: string; readonly email: string };
}

/** What an assertion proves. */
export interface ProvenPasskey {
	readonly options: PasskeyOptions;
	readonly holder: PasskeyHolder;
	/** How often the passkey has signed, as it says itself. */
	readonly counter: number;
	/** The language of the page where it was used; null where no page was. */
	readonly locale: Locale | null;
	readonly requestId: string | null;
	readonly nowMs: number;
}

export interface Passkey {
	/** Its place in lists. */
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly lastUsedMs: number | null;
	readonly createdMs: number;
}

/** What a passkey was asked to sign. */
export interface PasskeyOptions {
	readonly id: string;
	readonly purpose: PasskeyPurpose;
	/** 32 random bytes. */
	readonly challenge: Uint8Array<ArrayBuffer>;
	/** Null where nobody is signed in. */
	readonly accountPk: number | null;
	readonly sessionId: string | null;
	readonly expiresMs: number;
	readonly createdMs: number;
}

export interface NewPasskey extends Omit<Passkey, "pk" | "lastUsedMs"> {
	readonly credentialId: Uint8Array<ArrayBuffer>;
	readonly publicKey: Uint8Array<ArrayBuffer>;
	readonly counter: number;
	readonly transports: readonly string[];
}

/** How many an account has at most. */
export const PASSKEYS_MAX = 20;
