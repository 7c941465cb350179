import type { ConnectionState, LiveConnectionState } from "@svc/base/enumerations";

/** Names one connection: by the App's id for the person, or by the person. */
export type ConnectionName =
	| { readonly appPk: number; readonly userId: string }
	| { readonly appId: string; readonly accountPk: number };

/** The fields of a connection that ending it needs. */
export interface NamedConnection {
	readonly pk: number;
	readonly userId: string;
	readonly appPk: number;
	readonly state: ConnectionState;
	readonly storage: { readonly pk: number; readonly id: string } | undefined;
}

export interface UserPage {
	readonly limit: number;
	/** Only users whose `pk` is smaller. */
	readonly beforePk?: number | undefined;
	/** Folded; only the user with exactly this address. */
	readonly email?: string | undefined;
}

/**
 * `pending`: the App has brought them along from another installation, and they have not agreed here yet; `unavailable`: the account is
 * disabled or being deleted; the App does not learn which.
 */
export const USER_STATES = ["connected", "pending", "disconnecting", "unavailable"] as const;

type UserState = (typeof USER_STATES)[number];

/** A person connected to an App, as the App's team sees them. */
export interface ConnectedUser {
	readonly pk: number;
	/** The user id: a different one in every App. */
	readonly id: string;
	readonly email: string;
	readonly verified: boolean;
	readonly state: UserState;
	readonly images: number;
	readonly bytes: number;
	/** The last day, since 1970, on which anything was asked of their storage; null where nothing was. */
	readonly lastUsedDay: number | null;
	readonly createdMs: number;
}

/** The same connection, as the person sees it. */
export interface OwnConnection extends Pick<ConnectedUser, "pk" | "images" | "bytes" | "createdMs"> {
	/** Id of the connection itself. */
	readonly id: string;
	readonly app: { readonly id: string; readonly name: string };
	/** Where the App itself is; null where its profile does not say. */
	readonly homepage: string | null;
	/** The App's id for this person. */
	readonly userId: string;
	readonly state: LiveConnectionState;
}

/** A person's storage outside of every App. */
export type OwnStorage = Pick<ConnectedUser, "images" | "bytes">;
