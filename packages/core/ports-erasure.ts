import type { By } from "@svc/base/actor";
import type { JobLease, NewJob } from "@svc/jobs/jobs";
import type { Account } from "@svc/people/people";

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

/** A storage that is being deleted. */
export interface DoomedStorage {
	readonly id: string;
	/** How many it still holds. */
	readonly images: number;
}

export interface DoomedImage {
	readonly pk: number;
	readonly blobKey: string;
}

/** Whose storages are being deleted. */
export type DoomedOwner = { readonly accountId: string } | { readonly appId: string };

/**
 * Removes for good. Everything is safe to repeat; each change is written only while the lease holds, and says "lost" when it does
 * not.
 */
export interface ErasureStore {
	/** Undefined when there is no such storage, or it is not being deleted. */
	findStorage(storageId: string): Promise<DoomedStorage | undefined>;
	/** All storages of an owner that are being deleted. */
	listStorages(owner: DoomedOwner): Promise<readonly DoomedStorage[]>;
	listImages(storageId: string, limit: number): Promise<readonly DoomedImage[]>;
	/** With all that a single delete does, in one commit; "gone" when somebody else was faster with all of them. */
	deleteImages(
		lease: JobLease,
		storageId: string,
		images: readonly DoomedImage[],
		nowMs: number,
	): Promise<"lost" | "gone" | undefined>;
	/** An empty storage with its keys and usage; its connection is gone, unless the person has come back since. */
	dropStorage(lease: JobLease, storageId: string, nowMs: number): Promise<"lost" | undefined>;
	/** From then on nothing of the account can be used: storages, connections, sessions, roles, keys. */
	condemnAccount(lease: JobLease, accountId: string, nowMs: number): Promise<"lost" | undefined>;
	/** Forgets an account without storages; "owner" while an App is theirs, "busy" while a storage is. */
	forgetAccount(lease: JobLease, accountId: string, nowMs: number): Promise<"lost" | "owner" | "busy" | undefined>;
	/** From then on nothing of the App can be used. */
	condemnApp(lease: JobLease, appId: string, nowMs: number): Promise<"lost" | undefined>;
	/** Removes an App without storages and all that belongs to it; "busy" while there is a storage. */
	forgetApp(lease: JobLease, appId: string, nowMs: number): Promise<"lost" | "busy" | undefined>;
}
