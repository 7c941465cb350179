import type { Actor } from "@svc/base/actor";
import { Conflict } from "@svc/base/conflicts";
import type { Step } from "@svc/base/database/step";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { ConnectionName, NamedConnection } from "@svc/connect/connected-user";
import { type Job, newJob } from "@svc/jobs/jobs";
import type { Erasure } from "./room.ts";

export interface Disconnecting {
	readonly connection: ConnectionName;
	/** Id of the account that may watch the job. */
	readonly startedBy: string;
	readonly by: Actor;
	/** What happens with it: withdrawals. */
	readonly also?: readonly Step<"plan_ended">[];
}

const TRIES = 4;

/**
 * Ends a connection at once, and starts the job that empties its storage; while that job runs, a second call returns it.
 * @throws Failure not_found where there is no connection, or nothing is left of it; state_conflict where a plan to withdraw from has just ended
 */
export async function startDisconnect(room: Erasure, asked: Disconnecting): Promise<Job> {
	if (!isNamed(asked.connection)) throw new Failure("not_found");
	for (let tries = 0; tries < TRIES; tries++) {
		const connection = await room.connect.users.findConnection(asked.connection);
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
	room: Erasure,
	{ state, storage, ...connection }: NamedConnection,
	{ connection: asked, startedBy, by, also = [] }: Disconnecting,
): Promise<Job | "gone" | "moved"> {
	if (state === "gone" || !storage) return "gone";
	const facts = { dedupe: emptyingOf(storage.id), startedBy, appPk: connection.appPk };
	const job = newJob("storage.empty", { storageId: storage.id }, facts);
	if (state === "disconnecting") {
		// While the account is being deleted the storage may have no job of its own: another job does no harm beside that.
		return (await room.connect.users.findEmptying(storage.id)) ?? (await room.jobs.store.enqueue(job, by));
	}
	// The App's team reads its audit, and knows its users by their pairwise ids only.
	const actor = "accountPk" in asked ? connection.userId : by.actor;
	const published = await room.billing.subscriptions.leavingSteps(connection.pk, by);
	const ended = { ...connection, state, storage };
	const refused = await room.connect.users.disconnect(ended, job, { ...by, actor }, [...published, ...also]);
	if (refused === "plan_ended") throw new Conflict(refused);
	if (refused === "moved") return refused;
	room.jobs.wake();
	return (await room.jobs.store.find(job.id)) ?? "moved";
}

/** The dedupe key: only one job that empties this storage is under way. */
function emptyingOf(storageId: string): string {
	return `storage.empty ${storageId}`;
}
