import { withdrawInvites } from "@svc/apps/invites-store";
import type { By } from "@svc/base/actor";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import type { Account } from "@svc/people/people";
import { type SQL, sql } from "drizzle-orm";
import { endConnections, revokeTeamKeys } from "./erasure-steps-store.ts";

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

export function meStore({ queries, read, write }: Database): MeStore {
	return {
		async listOwned(accountPk) {
			const rows = await read(() =>
				queries.values<[string]>(sql`SELECT name FROM apps WHERE pk IN (${ownedBy(accountPk)}) ORDER BY name`),
			);
			return rows.map(([name]) => name);
		},
		async startDeletion(account, job, by) {
			const { refused } = await write([
				...refusalSteps(account),
				...endSteps(account, by),
				...deletionSteps(account, job, by),
			]);
			return refused;
		},
	};
}

/** Apps that are being deleted already hold nobody. */
function ownedBy(accountPk: number): SQL {
	return sql`SELECT members.app_pk FROM members JOIN apps AS owned ON owned.pk = members.app_pk
		WHERE members.account_pk = ${accountPk} AND members.role = 'owner' AND owned.deleting_ms IS NULL`;
}

function refusalSteps({ pk }: Account): Step<"owner" | "last_operator" | "gone">[] {
	// A guard looks at how many rows a statement touches: writing what is there already is how a condition is asked.
	const require = (condition: SQL) => sql`UPDATE accounts SET status = status WHERE pk = ${pk} AND ${condition}`;
	const others = sql`SELECT 1 FROM operators JOIN accounts AS other ON other.pk = operators.account_pk
		WHERE other.status = 'active' AND other.pk <> ${pk}`;
	return [
		{ run: require(sql`NOT EXISTS (${ownedBy(pk)})`), guard: "owner" },
		{
			run: require(sql`(NOT EXISTS (SELECT 1 FROM operators WHERE account_pk = ${pk}) OR EXISTS (${others}))`),
			guard: "last_operator",
		},
		{ run: sql`UPDATE accounts SET status = 'deleting' WHERE pk = ${pk} AND status = 'active'`, guard: "gone" },
	];
}

/** Nothing that the account holds can be used any more. */
function endSteps({ pk, id }: Account, by: By): Step[] {
	const { nowMs } = by;
	return [
		{ run: sql`DELETE FROM operators WHERE account_pk = ${pk}` },
		{ run: auditOnChange(by, { appPk: null, event: "operator.removed", target: id }) },
		{ run: sql`UPDATE sessions SET revoked_ms = ${nowMs} WHERE account_pk = ${pk} AND revoked_ms IS NULL` },
		...revokeTeamKeys(sql`creator_pk = ${pk}`, "account_deleted", by),
		...withdrawInvites(sql`created_by_pk = ${pk}`, "account_deleted", by),
	];
}

/** What it keeps in Apps: the storages are emptied by the job, and reach nobody from now on. */
function deletionSteps({ pk, id }: Account, job: NewJob<"account.delete">, by: By): Step[] {
	const { nowMs, requestId } = by;
	return [
		{
			// The App knows its users by their pairwise ids, and so does its audit.
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, request_id)
				SELECT ${nowMs}, user_id, app_pk, 'user.disconnected', user_id, ${requestId} FROM connections
				WHERE account_pk = ${pk} AND state = 'connected'`,
		},
		...endConnections(sql`connections.account_pk = ${pk}`, nowMs),
		// Those without a connection as well.
		{ run: sql`UPDATE storages SET state = 'deleting' WHERE account_pk = ${pk} AND state = 'active'` },
		{ run: jobEntry(job, nowMs) },
		{ run: auditBy(by, { appPk: null, event: "account.deletion_started", target: id }) },
	];
}
