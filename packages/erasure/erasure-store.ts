import type { Database, Step } from "@svc/base/database/client";
import { deleteImagesSteps } from "@svc/images/image-deletes-store";
import type { JobLease } from "@svc/jobs/jobs";
import { leaseStep } from "@svc/jobs/jobs-store";
import { type SQL, sql } from "drizzle-orm";
import { condemnAccountSteps, condemnAppSteps, forgetAccountSteps, forgetAppSteps } from "./erasure-steps-store.ts";

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

export function erasureStore(database: Database): ErasureStore {
	const { queries, read, write } = database;
	const storages = async (where: SQL): Promise<DoomedStorage[]> => {
		const rows = await read(() =>
			queries.values<[string, number]>(
				sql`SELECT id, images FROM storages WHERE state = 'deleting' AND ${where} ORDER BY pk`,
			),
		);
		return rows.map(([id, images]) => ({ id, images }));
	};
	async function commit<Cause extends string>(
		lease: JobLease,
		nowMs: number,
		steps: readonly Step<Cause>[],
		done = 0,
	): Promise<Cause | "lost" | undefined> {
		const { refused } = await write<Cause | "lost">([leaseStep({ lease, done, nowMs }), ...steps]);
		return refused;
	}

	return {
		async findStorage(storageId) {
			return (await storages(sql`id = ${storageId}`))[0];
		},
		listStorages: (owner) => storages(ownedBy(owner)),
		async listImages(storageId, limit) {
			const rows = await read(() =>
				queries.values<[number, string]>(
					sql`SELECT pk, blob_key FROM images INDEXED BY images_storage
						WHERE storage_pk = ${doomed(storageId)} ORDER BY pk LIMIT ${limit}`,
				),
			);
			return rows.map(([pk, blobKey]) => ({ pk, blobKey }));
		},
		deleteImages: (lease, storageId, images, nowMs) => {
			const pks = images.map(({ pk }) => pk);
			const still = sql`UPDATE storages SET state = 'deleting' WHERE pk = ${doomed(storageId)}`;
			const steps = deleteImagesSteps(pks, { actor: lease.jobId, nowMs });
			return commit(lease, nowMs, [{ run: still, guard: "gone" }, ...steps], images.length);
		},
		dropStorage: (lease, storageId, nowMs) => commit(lease, nowMs, dropSteps(storageId, lease.jobId, nowMs)),
		condemnAccount: (lease, accountId, nowMs) =>
			commit(lease, nowMs, condemnAccountSteps(accountId, lease.jobId, nowMs)),
		forgetAccount: (lease, accountId, nowMs) => commit(lease, nowMs, forgetAccountSteps(accountId, lease.jobId, nowMs)),
		condemnApp: (lease, appId, nowMs) => commit(lease, nowMs, condemnAppSteps(appId, lease.jobId, nowMs)),
		forgetApp: (lease, appId, nowMs) => commit(lease, nowMs, forgetAppSteps(appId, lease.jobId, nowMs)),
	};
}

function ownedBy(owner: DoomedOwner): SQL {
	return "accountId" in owner
		? sql`account_pk = (SELECT pk FROM accounts WHERE id = ${owner.accountId})`
		: sql`app_pk = (SELECT pk FROM apps WHERE id = ${owner.appId})`;
}

/** By its id and its state, always: the number of a storage that is gone may be another's by now. */
function doomed(storageId: string): SQL {
	return sql`(SELECT pk FROM storages WHERE id = ${storageId} AND state = 'deleting')`;
}

/** Of an empty storage. Safe to repeat: of one that is gone, nothing is found. */
function dropSteps(storageId: string, actor: string, nowMs: number): readonly Step[] {
	const ours = sql`storage_pk = ${doomed(storageId)}`;
	return [
		// A person who has come back since has another storage, and keeps the connection.
		{ run: sql`UPDATE connections SET state = 'gone', storage_pk = NULL WHERE ${ours}` },
		{ run: sql`DELETE FROM keys WHERE ${ours}` },
		{ run: sql`DELETE FROM monthly_usage WHERE ${ours}` },
		// A create that is still under way is refused by its commit; what it has written is swept.
		{ run: sql`DELETE FROM idempotency WHERE ${ours}` },
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target)
				SELECT ${nowMs}, ${actor}, app_pk, 'storage.deleted', id FROM storages WHERE pk = ${doomed(storageId)}`,
		},
		{ run: sql`DELETE FROM storages WHERE pk = ${doomed(storageId)}` },
	];
}
