import type { Actor } from "@svc/base/actor";
import { Conflict } from "@svc/base/conflicts";
import type { Step } from "@svc/base/database/step";
import { Failure } from "@svc/base/failure";
import { listConnections } from "@svc/connect/users";
import { type Job, newJob } from "@svc/jobs/jobs";
import { WAY_BACK_DAYS } from "@svc/people/address-changes";
import { type Person, requireSession, stale } from "@svc/people/people";
import type { Erasure } from "./room.ts";

/**
 * From this moment on the account cannot be used; the job removes what it holds.
 * @param also what happens with it: withdrawals
 * @throws Failure forbidden for a token and for a session that is not fresh; state_conflict while the account owns an App, or is the only operator, and where a plan to withdraw from has just ended
 */
export async function deleteAccount(
	room: Erasure,
	person: Person,
	by: Actor,
	also: readonly Step<"plan_ended">[] = [],
): Promise<Job> {
	requireSession(person);
	const { account } = person;
	const facts = { dedupe: `account.delete ${account.id}`, startedBy: account.id };
	const job = newJob("account.delete", { accountId: account.id }, facts);
	const published = await leavingSteps(room, account.pk, by);
	const refused = await room.accounts.startDeletion(account, job, by, [...published, ...also]);
	if (refused === "owner") throw await ownerOf(room, account.pk);
	if (refused === "last_operator" || refused === "plan_ended") throw new Conflict(refused);
	if (refused === "address_changed") {
		const message = `The address of this account was changed less than ${WAY_BACK_DAYS} days ago: until then it stays, so that the letter to the old address can lead back.`;
		throw new Conflict("address_changed", { message });
	}
	if (refused === "stale") throw stale();
	if (refused === "gone") throw new Failure("unauthorized");
	room.jobs.wake();
	const started = await room.jobs.store.find(job.id);
	if (!started) throw new Error("a job that was enqueued is not there");
	return started;
}

async function leavingSteps(
	{ connect, billing }: Erasure,
	accountPk: number,
	by: Actor,
): Promise<readonly Step<never>[]> {
	const connections = await listConnections(connect, { pk: accountPk });
	return (await Promise.all(connections.map(({ pk }) => billing.subscriptions.leavingSteps(pk, by)))).flat();
}

const NAMED_MAX = 10;

async function ownerOf(room: Erasure, accountPk: number): Promise<Failure> {
	const names = await room.accounts.listOwned(accountPk);
	const shown = names.slice(0, NAMED_MAX).join(", ");
	const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
	const message = `You are the Owner of ${shown}${more}: transfer or delete what you own first.`;
	return new Conflict("owns_apps", { message, names: names.length > NAMED_MAX ? `${shown} …` : shown });
}
