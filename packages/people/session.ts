import type { SignInKind } from "@svc/base/enumerations";
import type { Session } from "./people.ts";

/** A session or token in a list. */
export interface ListedSession extends Session {
	/** Its place in lists of one account: milliseconds since 1970. */
	readonly pk: number;
}

export interface SessionPage {
	readonly limit: number;
	readonly beforePk?: number | undefined;
	/** Limits the list to this token and its family: tokens that it made, and so on. */
	readonly within?: string | undefined;
}

/** How many were ended. */
export interface EndedSessions {
	readonly sessions: number;
	readonly tokens: number;
}

export interface NewToken {
	readonly id: string;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly name: string;
	readonly appPk: number | null;
	readonly scopes: string;
	readonly expiresMs: number;
}

/** A session that a sign-in makes. */
export interface NewSession {
	readonly id: string;
	readonly hash: Uint8Array<ArrayBuffer>;
	readonly kind: SignInKind;
	readonly device: string;
	readonly addressMac: Uint8Array<ArrayBuffer>;
	/** As people are shown it. */
	readonly network: string;
	readonly freshMs: number;
	readonly expiresMs: number;
}
