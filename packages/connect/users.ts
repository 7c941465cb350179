import type { AppRecord } from "@svc/apps/apps";
import type { ConnectionState, LiveConnectionState } from "@svc/base/enumerations";
import { found } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import type { Connect } from "./room.ts";
import { userKept } from "./user-events-store.ts";

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

/** `unavailable`: the account is disabled or being deleted; the App does not learn which. */
export const USER_STATES = ["connected", "disconnecting", "unavailable"] as const;
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
	readonly createdMs: number;
}

/** The user of the event that they are connected, as they were then. */
export function readUserEvent(kept: Kept): Omit<ConnectedUser, "pk"> {
	const { verifiedMs, ...user } = readSnapshot(userKept, kept);
	return { ...user, verified: verifiedMs !== null, state: "connected" };
}

/** The same connection, as the person sees it. */
export interface OwnConnection extends Pick<ConnectedUser, "pk" | "images" | "bytes" | "createdMs"> {
	/** Id of the connection itself. */
	readonly id: string;
	readonly app: { readonly id: string; readonly name: string };
	/** The App's id for this person. */
	readonly userId: string;
	readonly state: LiveConnectionState;
}

/** A person's storage outside of every App. */
export type OwnStorage = Pick<ConnectedUser, "images" | "bytes">;

/** The App's users; an empty list while its sign-in is off (specification, "Authentication" 7). */
export async function listUsers(room: Connect, app: AppRecord, page: UserPage): Promise<readonly ConnectedUser[]> {
	return app.signIn ? await room.users.list(app.pk, page) : [];
}

/** @throws Failure not_found */
export async function getUser(room: Connect, app: AppRecord, userId: string): Promise<ConnectedUser> {
	return found(app.signIn && isId("usr", userId) ? await room.users.find(app.pk, userId) : undefined);
}

const ALL = 1_000;

/** Newest first: the Apps that a person is connected to, and those whose storage is still being emptied. */
export async function listConnections(
	room: Connect,
	account: { readonly pk: number },
	page: Omit<UserPage, "email"> = { limit: ALL },
): Promise<readonly OwnConnection[]> {
	return await room.users.listConnections(account.pk, page);
}
