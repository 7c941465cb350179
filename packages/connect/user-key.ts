import type { AppKey, NewAppKey } from "@svc/keys/app-key";

export type UserKey = Omit<AppKey, "reach" | "creatorPk" | "replacedBy">;

export interface NewUserKey extends Omit<NewAppKey, "reach"> {
	/** Created with the key where the person has none yet; null in an App, where only connecting makes a storage. */
	readonly opening: NewOwnStorage | null;
}

/** A person's own storage, and the connection that holds it as if the service itself were an App. */
export interface NewOwnStorage {
	readonly storageId: string;
	readonly teamHash: string;
	readonly connectionId: string;
	readonly userId: string;
	readonly consentVersion: number;
}

/** The person, and which of their storages. */
export interface UserKeyPlace {
	readonly account: { readonly pk: number };
	/** Null: their storage outside of every App. */
	readonly appId: string | null;
}
