import { withdrawInvites } from "@svc/apps/team/invites-store";
import type { Actor } from "@svc/base/actor";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps, invites, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { passkeyOptions, passkeys, sessions } from "@svc/base/database/schema/people";
import { replays } from "@svc/base/database/schema/service";
import { rowCondition, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { usersDisconnected } from "@svc/connect/user-events-store";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { hasWayBack } from "@svc/people/address-changes-store";
import { freshSteps } from "@svc/people/fresh-store";
import type { Account } from "@svc/people/people";
import { and, eq, exists, isNull, ne, notExists, sql } from "drizzle-orm";
import { auditRows, endConnections, endStorages, revokeTeamKeys, selectOwned } from "./erasure-steps-store.ts";

export function meStore(database: Database) {
	return {
		/** Names of the Apps that an account owns. */
		async listOwned(accountPk: number): Promise<readonly string[]> {
			const rows = await database.read(() => selectOwned(database, accountPk).orderBy(apps.name));
			return rows.map(({ name }) => name);
		},
		/** One guarded commit: no credential of the account works any more, and the job that removes it is due. */
		async startDeletion(
			account: Account,
			job: NewJob<"account.delete">,
			by: Actor,
			also: readonly Step<"plan_ended">[],
		): Promise<"owner" | "last_operator" | "address_changed" | "gone" | "stale" | "plan_ended" | undefined> {
			const { refused } = await database.write([
				...refusalSteps(database, account, by.nowMs),
				...freshSteps(by),
				...also,
				...endSteps(database, account, by),
				...deletionSteps(database, account, job, by),
			]);
			return refused;
		},
	};
}

function refusalSteps(
	database: Database,
	{ pk }: Account,
	nowMs: number,
): readonly Step<"owner" | "last_operator" | "address_changed" | "gone">[] {
	const { queries } = database;
	const themselves = queries.select({ pk: operators.accountPk }).from(operators).where(eq(operators.accountPk, pk));
	const others = queries
		.select({ pk: operators.accountPk })
		.from(operators)
		.innerJoin(accounts, eq(accounts.pk, operators.accountPk))
		.where(and(eq(accounts.status, "active"), ne(accounts.pk, pk)));
	const account = eq(accounts.pk, pk);
	const replaceable = sql`(${notExists(themselves)} OR ${exists(others)})`;
	return [
		rowCondition(accounts.verifiedMs, sql`${account} AND ${notExists(selectOwned(database, pk))}`, "owner"),
		rowCondition(accounts.verifiedMs, sql`${account} AND ${replaceable}`, "last_operator"),
		// The letter to the old address would lead back to nothing.
		rowCondition(accounts.verifiedMs, sql`${account} AND NOT ${hasWayBack(pk, nowMs)}`, "address_changed"),
		updateStep(accounts, { status: "deleting" }, and(account, eq(accounts.status, "active")), "gone"),
	];
}

/** No credential of the account works any more. */
function endSteps({ queries }: Database, { pk, id }: Account, by: Actor): readonly Step[] {
	return [
		{ run: queries.delete(operators).where(eq(operators.accountPk, pk)) },
		{ run: auditOnChange(by, { appPk: null, event: "operator.removed", target: id }) },
		{ run: queries.delete(replays).where(eq(replays.caller, id)) },
		...[passkeys, passkeyOptions].map((table) => ({ run: queries.delete(table).where(eq(table.accountPk, pk)) })),
		updateStep(sessions, { revokedMs: by.nowMs }, and(eq(sessions.accountPk, pk), isNull(sessions.revokedMs))),
		...revokeTeamKeys(eq(keys.creatorPk, pk), "account_deleted", by),
		...withdrawInvites(eq(invites.createdByPk, pk), "account_deleted", by),
	];
}

/** For its storages in Apps: the job empties them, and no request reaches them from now on. */
function deletionSteps(
	database: Database,
	{ pk, id }: Account,
	job: NewJob<"account.delete">,
	by: Actor,
): readonly Step[] {
	return [
		// The App knows its users by their pairwise ids, and its audit therefore holds these.
		auditRows(by, {
			event: "user.disconnected",
			appPk: connections.appPk,
			target: connections.userId,
			actor: connections.userId,
			from: sql`${connections} WHERE ${connections.accountPk} = ${pk} AND ${connections.state} = 'connected'`,
		}),
		usersDisconnected(by, eq(connections.accountPk, pk)),
		...endConnections(database, eq(connections.accountPk, pk), by.nowMs),
		// Includes storages without a connection.
		endStorages(eq(storages.accountPk, pk)),
		{ run: jobEntry(job, by.nowMs) },
		{ run: auditBy(by, { appPk: null, event: "account.deletion_started", target: id }) },
	];
}
