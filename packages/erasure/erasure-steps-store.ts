import { revokeSteps } from "@svc/apps/key-steps-store";
import type { Actor } from "@svc/base/actor";
import { auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps, appUsage, invites, members, redirectUris, storages } from "@svc/base/database/schema/apps";
import { connections, exchangeCodes } from "@svc/base/database/schema/connect";
import { presets, signingKeys } from "@svc/base/database/schema/delivery";
import { keys } from "@svc/base/database/schema/keys";
import {
	addressChanges,
	logins,
	passkeyOptions,
	passkeys,
	securityLetters,
	sessions,
} from "@svc/base/database/schema/people";
import { webhookEndpoints } from "@svc/base/database/schema/webhooks";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { usersDisconnected } from "@svc/connect/user-events-store";
import { and, count, eq, inArray, isNotNull, isNull, notExists, type SQL, type SQLWrapper, sql } from "drizzle-orm";

/* The steps that end and forget an account or an App. All of them are safe to repeat. */

/** Ends the connections that `where` on `connections` selects: codes, storages, counters and all. */
export function endConnections({ queries }: Database, where: SQL, nowMs: number): readonly Step[] {
	const ending = and(where, eq(connections.state, "connected"));
	const chosen = queries.select({ pk: connections.pk }).from(connections).where(where);
	const emptied = queries.select({ pk: connections.storagePk }).from(connections).where(ending);
	const ended = queries
		.select({ appPk: connections.appPk, users: count().as("ended_users") })
		.from(connections)
		.where(ending)
		.groupBy(connections.appPk)
		.as("ended");
	return [
		updateStep(
			exchangeCodes,
			{ usedMs: nowMs },
			and(isNull(exchangeCodes.usedMs), inArray(exchangeCodes.connectionPk, chosen)),
		),
		updateStep(storages, { state: "deleting" }, inArray(storages.pk, emptied)),
		{
			run: queries
				.update(appUsage)
				.set({ users: sql`${appUsage.users} - ${ended.users}` })
				.from(ended)
				.where(eq(appUsage.appPk, ended.appPk)),
		},
		updateStep(connections, { state: "disconnecting", endedMs: nowMs }, ending),
	];
}

/** Users' own keys stay until their storage is gone, so that a create can say why it is refused. */
export function revokeTeamKeys(where: SQL, reason: string, by: Actor): readonly Step[] {
	return revokeSteps(sql`${where} AND ${keys.reach} <> 'user'`, reason, by);
}

/** The names of the Apps that an account owns. Apps that are being deleted do not count. */
export function selectOwned({ queries }: Database, accountPk: number | SQLWrapper) {
	return queries
		.select({ name: apps.name })
		.from(members)
		.innerJoin(apps, eq(apps.pk, members.appPk))
		.where(sql`${members.accountPk} = ${accountPk} AND ${members.role} = 'owner' AND ${apps.deletingMs} IS NULL`);
}

interface AuditedRows {
	readonly event: string;
	/** Expressions over each row of `from`. */
	readonly appPk: SQLWrapper | null;
	readonly target: SQLWrapper | string;
	/** Left out: the author of the change. */
	readonly actor?: SQLWrapper;
	/** A table, joined or not, with its WHERE. */
	readonly from: SQL;
}

/** Audits every row that a query finds. */
export function auditRows(by: Actor, { from, actor, ...entry }: AuditedRows): Step {
	const { nowMs: atMs, requestId } = by;
	return { run: auditEach({ ...entry, atMs, actor: actor ?? by.actor, requestId }, sql`FROM ${from}`) };
}

/** The actor of a job's changes: the job's id. */
export function byJob(jobId: string, nowMs: number): Actor {
	return { actor: jobId, requestId: null, nowMs };
}

export function closeAccountSteps(database: Database, accountId: string, by: Actor): readonly Step[] {
	const { queries } = database;
	const account = pkOf(accounts, accountId);
	return [
		updateStep(accounts, { status: "deleting" }, eq(accounts.id, accountId)),
		usersDisconnected(by, eq(connections.accountPk, account)),
		...endConnections(database, eq(connections.accountPk, account), by.nowMs),
		// Includes storages without a connection.
		endStorages(eq(storages.accountPk, account)),
		...revokeTeamKeys(eq(keys.creatorPk, account), "account_deleted", by),
		...[sessions, passkeys, passkeyOptions].map((table) => ({
			run: queries.delete(table).where(eq(table.accountPk, account)),
		})),
	];
}

/** The row stays, without an address: connections, keys and the audit refer to it, and its number is never reused. */
export function forgetAccountSteps(
	database: Database,
	accountId: string,
	by: Actor,
): readonly Step<"owner" | "busy">[] {
	const { queries } = database;
	const account = pkOf(accounts, accountId);
	const theirs = eq(accounts.id, accountId);
	const email = sql`(SELECT ${accounts.emailNorm} FROM ${accounts} WHERE ${theirs})`;
	const held = queries.select({ pk: storages.pk }).from(storages).where(eq(storages.accountPk, accounts.pk));
	const deletedMs = sql`coalesce(${accounts.deletedMs}, ${by.nowMs})`;
	return [
		updateStep(accounts, { status: "deleting" }, and(theirs, notExists(selectOwned(database, accounts.pk))), "owner"),
		auditRows(by, {
			event: "account.deleted",
			appPk: null,
			target: accounts.id,
			from: sql`${accounts} WHERE ${theirs} AND ${accounts.deletedMs} IS NULL`,
		}),
		{ run: queries.delete(invites).where(and(isNotNull(invites.acceptedMs), eq(invites.emailNorm, email))) },
		updateStep(
			accounts,
			{ email: sql`${accounts.id}`, emailNorm: sql`${accounts.id}`, verifiedMs: null, deletedMs },
			and(theirs, notExists(held)),
			"busy",
		),
		forgetConnections(eq(connections.accountPk, account)),
		auditRows(by, {
			event: "member.left",
			appPk: members.appPk,
			target: accountId,
			from: sql`${members} WHERE ${members.accountPk} = ${account}`,
		}),
		...[members, operators, sessions, logins, passkeys, passkeyOptions, addressChanges, securityLetters].map(
			(table) => ({
				run: queries.delete(table).where(eq(table.accountPk, account)),
			}),
		),
	];
}

export function closeAppSteps(database: Database, appId: string, by: Actor): readonly Step[] {
	const app = pkOf(apps, appId);
	const deletingMs = sql`coalesce(${apps.deletingMs}, ${by.nowMs})`;
	return [
		updateStep(apps, { deletingMs }, eq(apps.id, appId)),
		...endConnections(database, eq(connections.appPk, app), by.nowMs),
		endStorages(eq(storages.appPk, app)),
		...revokeTeamKeys(eq(keys.appPk, app), "app_deleted", by),
	];
}

/** The row stays, without a name: the audit refers to its number, which must never become another App's. */
export function forgetAppSteps(database: Database, appId: string, by: Actor): readonly Step<"busy">[] {
	const { queries } = database;
	const app = pkOf(apps, appId);
	const held = queries.select({ pk: storages.pk }).from(storages).where(eq(storages.appPk, apps.pk));
	return [
		auditRows(by, {
			event: "app.deleted",
			appPk: apps.pk,
			target: apps.id,
			from: sql`${apps} JOIN ${appUsage} ON ${appUsage.appPk} = ${apps.pk} WHERE ${apps.id} = ${appId}`,
		}),
		updateStep(
			apps,
			{ name: sql`${apps.id}`, nameFold: sql`${apps.id}`, signIn: false, selling: false },
			and(eq(apps.id, appId), notExists(held)),
			"busy",
		),
		forgetConnections(eq(connections.appPk, app)),
		...[
			exchangeCodes,
			logins,
			invites,
			redirectUris,
			presets,
			signingKeys,
			sessions,
			members,
			appUsage,
			webhookEndpoints,
		].map((table) => ({
			run: queries.delete(table).where(eq(table.appPk, app)),
		})),
	];
}

/** The number behind a public id; null where there is none. */
export function pkOf(table: typeof accounts | typeof apps, id: string): SQL<number> {
	return sql<number>`(SELECT ${table.pk} FROM ${table} WHERE ${table.id} = ${id})`;
}

/** Closes the storages that `where` on `storages` selects: they store nothing from now on. */
export function endStorages(where: SQL): Step {
	return updateStep(storages, { state: "deleting" }, and(where, eq(storages.state, "active")));
}

function forgetConnections(where: SQL): Step {
	return updateStep(connections, { state: "gone", storagePk: null, emailAtConsent: "" }, where);
}
