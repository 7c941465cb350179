import type { By } from "@svc/base/actor";
import type { Job, NewJob } from "@svc/jobs/jobs";
import type { NewUserKey, UserKey, UserKeyPlace } from "./user-keys.ts";
import type { ConnectedUser, OwnConnection, OwnStorage } from "./users.ts";

/* What is asked of the world about an App's connected users and their own keys; see ports.ts. */

/** One connection, by the App's id for the person or by the person. */
export type ConnectionName =
	| { readonly appPk: number; readonly userId: string }
	| { readonly appId: string; readonly accountPk: number };

/** A connection as far as ending it needs to know it. */
export interface NamedConnection {
	readonly pk: number;
	readonly userId: string;
	readonly appPk: number;
	readonly state: "connected" | "disconnecting" | "gone";
	readonly storage: { readonly pk: number; readonly id: string } | undefined;
}

export interface UserPage {
	readonly limit: number;
	/** Only users whose `pk` is smaller. */
	readonly beforePk?: number | undefined;
	/** Folded; only the user with this very address. */
	readonly email?: string | undefined;
}

export interface UserStore {
	/** Newest first, without those who are gone. */
	list(appPk: number, page: UserPage): Promise<readonly ConnectedUser[]>;
	find(appPk: number, userId: string): Promise<ConnectedUser | undefined>;
	/** The Apps that a person is connected to, or is being disconnected from; newest first. Their own storage is none of them. */
	listConnections(accountPk: number, page: Omit<UserPage, "email">): Promise<readonly OwnConnection[]>;
	/** A person's own storage, outside of every App. */
	findOwnStorage(accountPk: number): Promise<OwnStorage | undefined>;
	findConnection(name: ConnectionName): Promise<NamedConnection | undefined>;
	/** One commit: the connection ends, nothing is stored in its storage any more, and the job that empties it is due. */
	disconnect(connection: NamedConnection, job: NewJob<"storage.empty">, by: By): Promise<"moved" | undefined>;
	/** The last job that empties or emptied a storage. */
	findEmptying(storageId: string): Promise<Job | undefined>;
}

export interface UserKeyStore {
	/** Of the storage that the person has in this place at present; newest first. */
	list(place: UserKeyPlace, page: Omit<UserPage, "email">): Promise<readonly UserKey[]>;
	/** "not_connected" unless the person is, or can have a storage there; "full" when they hold `most` keys there that still work. */
	create(place: UserKeyPlace, key: NewUserKey, most: number, by: By): Promise<UserKey | "not_connected" | "full">;
	/** For good; false when there is no such key that still works. */
	revoke(place: UserKeyPlace, keyId: string, by: By): Promise<boolean>;
}
