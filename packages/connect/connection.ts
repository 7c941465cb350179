import type { AppPlan } from "@svc/base/enumerations";
import type { NewLetter } from "@svc/people/letters/security-letter";

/** An App as the hosted sign-in sees it. */
export interface ConnectApp {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly signIn: boolean;
	/** Paused, or blocked by an operator. */
	readonly suspended: boolean;
	/** Whether the redirect URI that was asked about is registered, byte for byte. */
	readonly registered: boolean;
}

/** The users that an App may have, by its plan; null: any number. */
export type UsersLimits = Readonly<Record<AppPlan, number | null>>;

/** The person and the App to connect, and the code for the App. */
export interface NewConnection {
	/** What the person is told of it. */
	readonly letters: readonly NewLetter[];
	readonly appPk: number;
	readonly accountPk: number;
	readonly redirectUri: string;
	readonly consentVersion: number;
	readonly codeHash: Uint8Array<ArrayBuffer>;
	readonly codeExpiresMs: number;
	/** The id of the connection for a person who has never been connected; others keep theirs. */
	readonly connectionId: string;
	readonly userId: string;
	/** The id of the storage for a connection that is new or had ended. */
	readonly storageId: string;
	readonly teamHash: string;
	readonly requestId: string | null;
	readonly nowMs: number;
}

/** The person that the code is for: the connection must exist already. */
export interface KnownConnection
	extends Omit<
		NewConnection,
		"letters" | "accountPk" | "connectionId" | "userId" | "storageId" | "teamHash" | "requestId"
	> {
	/** Null: no person is signed in. */
	readonly accountPk: number | null;
	/** The request in which the person pressed a button; undefined where they did nothing, which is not audited. */
	readonly pressed?: { readonly requestId: string } | undefined;
}

/** In the order of the checks. After the first two there is no address to redirect to. */
export type ConnectRefusal = "unknown_app" | "redirect_uri_not_registered" | "suspended" | "denied" | "full";

export interface ConnectedPerson {
	/** The pairwise user id. */
	readonly userId: string;
	readonly email: string;
	readonly verified: boolean;
}
