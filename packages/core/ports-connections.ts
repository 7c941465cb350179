/* What is asked of the world about connecting people to Apps; see ports.ts. */

/** An App as the hosted sign-in looks at it. */
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

/** Whom to connect to what, and the code that tells of it. */
export interface NewConnection {
	readonly appPk: number;
	readonly accountPk: number;
	readonly redirectUri: string;
	readonly consentVersion: number;
	readonly codeHash: Uint8Array<ArrayBuffer>;
	readonly codeExpiresMs: number;
	/** For a person who has never been connected; one who has keeps theirs. */
	readonly connectionId: string;
	readonly userId: string;
	/** For a connection that is new or had ended. */
	readonly storageId: string;
	readonly teamHash: string;
	readonly requestId: string | null;
	readonly nowMs: number;
}

/** Whom the code is about: a connection that must be there already. */
export interface KnownConnection
	extends Omit<NewConnection, "accountPk" | "connectionId" | "userId" | "storageId" | "teamHash" | "requestId"> {
	/** Null: nobody is signed in. */
	readonly accountPk: number | null;
}

/** In the order in which they are looked for. After the first two there is nowhere to redirect to. */
export type ConnectRefusal = "unknown_app" | "redirect_uri_not_registered" | "suspended" | "denied" | "full";

export interface ConnectedPerson {
	/** The pairwise user id. */
	readonly userId: string;
	readonly email: string;
	readonly verified: boolean;
}

export interface ConnectionStore {
	/** Undefined for an App that does not exist or is being deleted. */
	findApp(appId: string, redirectUri: string): Promise<ConnectApp | undefined>;
	/** One guarded commit: App and account active, the users limit, storage, connection, code, audit. */
	connect(connection: NewConnection): Promise<ConnectRefusal | undefined>;
	/** A code for a person who is connected, of this consent version at least, and has the same address since. */
	reconnect(connection: KnownConnection): Promise<Exclude<ConnectRefusal, "full"> | "interaction" | undefined>;
	/** Spends a code of this App: for good, and for one caller only. */
	exchange(appPk: number, codeHash: Uint8Array<ArrayBuffer>, nowMs: number): Promise<ConnectedPerson | undefined>;
	/** Removes at most `limit` codes that are past their time; returns how many. */
	forgetCodes(nowMs: number, limit: number): Promise<number>;
}
