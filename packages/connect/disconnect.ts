import type { Actor } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { type Job, newJob } from "@svc/jobs/jobs";
import type { Connect } from "./room.ts";
import type { ConnectionName, NamedConnection } from "./users.ts";

export interface Disconnecting {
	readonly connection: ConnectionName;
	/** Id of the account that may watch the job. */
	readonly startedBy: string;
	readonly by: Actor;
}

const TRIES = 4;

/**
 * Ends a connection at once, and starts the job that empties its storage; while that job runs, a second call returns it.
 * @throws Failure not_found where there is no connection, or nothing is left of it
 */
export async function startDisconnect(room: Connect, asked: Disconnecting): Promise<Job> {
	if (!isNamed(asked.connection)) throw new Failure("not_found");
	for (let tries = 0; tries < TRIES; tries++) {
		const connection = await room.users.findConnection(asked.connection);
		const job = connection ? await disconnect(room, connection, asked) : "gone";
		if (job === "gone") throw new Failure("not_found");
		if (job !== "moved") return job;
	}
	throw new Failure("state_conflict");
}

function isNamed(name: ConnectionName): boolean {
	return "userId" in name ? isId("usr", name.userId) : isId("app", name.appId);
}

/** "moved" when the connection changed between the read and the commit: then it must be read again. */
async function disconnect(
	room: Connect,
	{ state, storage, ...connection }: NamedConnection,
	{ connection: asked, startedBy, by }: Disconnecting,
): Promise<Job | "gone" | "moved"> {
	if (state === "gone" || !storage) return "gone";
	const facts = { dedupe: emptyingOf(storage.id), startedBy, appPk: connection.appPk };
	const job = newJob("storage.empty", { storageId: storage.id }, facts);
	if (state === "disconnecting") {
		// While the account is being deleted the storage may have no job of its own: another job does no harm beside that.
		return (await room.users.findEmptying(storage.id)) ?? (await room.jobs.store.enqueue(job, by));
	}
	// The App's team reads its audit, and knows its users by their pairwise ids only.
	const actor = "accountPk" in asked ? connection.userId : by.actor;
	if (await room.users.disconnect({ ...connection, state, storage }, job, { ...by, actor })) return "moved";
	room.jobs.wake();
	return (await room.jobs.store.find(job.id)) ?? "moved";
}

/** The dedupe key: only one job that empties this storage is under way. */
function emptyingOf(storageId: string): string {
	return `storage.empty ${storageId}`;
}
