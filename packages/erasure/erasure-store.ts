import type { Actor } from "@svc/base/actor";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, monthlyUsage, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { deletedImages, idempotency, images } from "@svc/base/database/schema/images";
import { keys } from "@svc/base/database/schema/keys";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { cutEvents, dropEvents } from "@svc/events/event-erasure-store";
import { deleteImagesSteps } from "@svc/images/delete/deletions-store";
import type { JobLease } from "@svc/jobs/jobs";
import { leaseStep } from "@svc/jobs/jobs-store";
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import {
	auditRows,
	byJob,
	closeAccountSteps,
	closeAppSteps,
	forgetAccountSteps,
	forgetAppSteps,
	pkOf,
} from "./erasure-steps-store.ts";

/** A storage that is being deleted. */
export interface DoomedStorage {
	readonly id: string;
	/** How many images it still holds. */
	readonly images: number;
}

interface DoomedImage {
	readonly pk: number;
	readonly blobKey: string;
}

/** The account or App whose storages are being deleted. */
export type DoomedOwner = { readonly accountId: string } | { readonly appId: string };

/**
 * Removes for good. Every method is safe to repeat; each change is written only while the lease holds, and returns "lost" when it does
 * not.
 */
export function erasureStore(database: Database) {
	return {
		/** Undefined when there is no such storage, or it is not being deleted. */
		async findStorage(storageId: string): Promise<DoomedStorage | undefined> {
			return (await listDoomed(database, eq(storages.id, storageId)))[0];
		},
		/** All storages of an owner that are being deleted. */
		listStorages: (owner: DoomedOwner) => listDoomed(database, ownedBy(owner)),
		listImages: listImages.bind(null, database),
		/** Deletes as a single delete does, in one commit; "gone" when other requests deleted all of them first. */
		deleteImages: (lease: JobLease, storageId: string, doomed: readonly DoomedImage[], nowMs: number) =>
			commit(database, lease, nowMs, imageSteps(lease, storageId, doomed, nowMs), doomed.length),
		/** Takes the data from some events about the user whose storage it is; returns the place of the last one, undefined when none is left. */
		cutEvents: cutSome.bind(null, database),
		/** Removes some events of an App; false when none is left. */
		dropEvents: dropSome.bind(null, database),
		/** Removes an empty storage with its keys and usage; its connection is gone, unless the person has come back since. */
		dropStorage: (lease: JobLease, storageId: string, nowMs: number) =>
			commit(database, lease, nowMs, dropSteps(database, storageId, byJob(lease.jobId, nowMs))),
		/** From then on the account cannot be used: storages, connections, sessions, roles, keys. */
		closeAccount: (lease: JobLease, accountId: string, nowMs: number) =>
			commit(database, lease, nowMs, closeAccountSteps(database, accountId, byJob(lease.jobId, nowMs))),
		/** Forgets an account without storages; "owner" while it owns an App, "busy" while it has a storage. */
		forgetAccount: (lease: JobLease, accountId: string, nowMs: number) =>
			commit(database, lease, nowMs, forgetAccountSteps(database, accountId, byJob(lease.jobId, nowMs))),
		/** From then on the App cannot be used. */
		closeApp: (lease: JobLease, appId: string, nowMs: number) =>
			commit(database, lease, nowMs, closeAppSteps(database, appId, byJob(lease.jobId, nowMs))),
		/** Removes an App without storages and all that belongs to it; "busy" while there is a storage. */
		forgetApp: (lease: JobLease, appId: string, nowMs: number) =>
			commit(database, lease, nowMs, forgetAppSteps(database, appId, byJob(lease.jobId, nowMs))),
	};
}

const EVENTS_BATCH = 500;

async function cutSome(
	{ write }: Database,
	lease: JobLease,
	{ storageId, afterPk }: { readonly storageId: string; readonly afterPk: number },
	nowMs: number,
): Promise<number | "lost" | undefined> {
	const userId = sql`(SELECT ${connections.userId} FROM ${connections} JOIN ${storages}
		ON ${storages.accountPk} = ${connections.accountPk} AND ${storages.appPk} = ${connections.appPk}
		WHERE ${storages.pk} = ${doomedPk(storageId)})`;
	const written = await write([leaseStep({ lease, done: 0, nowMs }), cutEvents(userId, afterPk, EVENTS_BATCH)]);
	if (written.refused !== undefined) return written.refused;
	// Where the rows were lost on the way it is done again.
	if (written.rows === undefined) return afterPk;
	const places = (written.rows[1] ?? []).map(({ pk }) => Number(pk));
	return places.length === 0 ? undefined : Math.max(...places);
}

async function dropSome({ write }: Database, lease: JobLease, appId: string, nowMs: number): Promise<boolean | "lost"> {
	const steps = [leaseStep({ lease, done: 0, nowMs }), dropEvents(pkOf(apps, appId), EVENTS_BATCH)];
	const written = await write<"lost">(steps);
	if (written.refused !== undefined) return written.refused;
	return written.rows === undefined || (written.rows[1] ?? []).length > 0;
}

/** `done`: how many images this commit deletes. */
async function commit<Cause extends string>(
	{ write }: Database,
	lease: JobLease,
	nowMs: number,
	steps: readonly Step<Cause>[],
	done = 0,
): Promise<Cause | "lost" | undefined> {
	const { refused } = await write<Cause | "lost">([leaseStep({ lease, done, nowMs }), ...steps]);
	return refused;
}

async function listDoomed({ queries, read }: Database, where: SQL): Promise<readonly DoomedStorage[]> {
	return await read(() =>
		queries
			.select({ id: storages.id, images: storages.images })
			.from(storages)
			.where(and(eq(storages.state, "deleting"), where))
			.orderBy(asc(storages.pk)),
	);
}

async function listImages(
	{ queries, read }: Database,
	storageId: string,
	limit: number,
): Promise<readonly DoomedImage[]> {
	const query = sql`SELECT ${images.pk}, ${images.blobKey} FROM ${images} INDEXED BY images_storage
		WHERE ${images.storagePk} = ${doomedPk(storageId)} ORDER BY ${images.pk} LIMIT ${limit}`;
	const rows = await read(() => queries.values<[number, string]>(query));
	return rows.map(([pk, blobKey]) => ({ pk, blobKey }));
}

function ownedBy(owner: DoomedOwner): SQL {
	return "accountId" in owner
		? eq(storages.accountPk, pkOf(accounts, owner.accountId))
		: eq(storages.appPk, pkOf(apps, owner.appId));
}

/** The condition is both id and state: the number of a storage that is gone may be another's by now. */
function doomedPk(storageId: string): SQL {
	return sql`(SELECT ${storages.pk} FROM ${storages}
		WHERE ${storages.id} = ${storageId} AND ${storages.state} = 'deleting')`;
}

function imageSteps(
	{ jobId }: JobLease,
	storageId: string,
	doomed: readonly DoomedImage[],
	nowMs: number,
): readonly Step<"gone">[] {
	const still = updateStep(storages, { state: "deleting" }, eq(storages.pk, doomedPk(storageId)), "gone");
	const pks = doomed.map(({ pk }) => pk);
	return [still, ...deleteImagesSteps(pks, { actor: jobId, nowMs })];
}

/** Removes an empty storage. Safe to repeat: a removed one is not found. */
function dropSteps({ queries }: Database, storageId: string, by: Actor): readonly Step[] {
	const doomed = doomedPk(storageId);
	return [
		// A person who has come back since has another storage, and keeps the connection.
		updateStep(connections, { state: "gone", storagePk: null }, eq(connections.storagePk, doomed)),
		// A create that is still under way is refused by its commit; the sweep removes its blob.
		...[keys, monthlyUsage, idempotency, deletedImages].map((table) => ({
			run: queries.delete(table).where(eq(table.storagePk, doomed)),
		})),
		auditRows(by, {
			event: "storage.deleted",
			appPk: storages.appPk,
			target: storages.id,
			from: sql`${storages} WHERE ${storages.pk} = ${doomed}`,
		}),
		{ run: queries.delete(storages).where(eq(storages.pk, doomed)) },
	];
}
