import { revokeSteps } from "@svc/apps/key-steps-store";
import type { By } from "@svc/base/actor";
import type { Step } from "@svc/base/database/client";
import { type SQL, sql } from "drizzle-orm";

/* What ends and what is forgotten when an account or an App is deleted. All of it is safe to repeat. */

/** Connections that end at this moment, whose `where` is about `connections`: codes, storages, counters and all. */
export function endConnections(where: SQL, nowMs: number): readonly Step[] {
	const ending = sql`FROM connections WHERE ${where} AND connections.state = 'connected'`;
	return [
		{
			run: sql`UPDATE exchange_codes SET used_ms = ${nowMs}
				WHERE used_ms IS NULL AND connection_pk IN (SELECT pk FROM connections WHERE ${where})`,
		},
		{ run: sql`UPDATE storages SET state = 'deleting' WHERE pk IN (SELECT storage_pk ${ending})` },
		{
			run: sql`UPDATE app_usage SET users = users - ended.count
				FROM (SELECT app_pk, count(*) AS count ${ending} GROUP BY app_pk) AS ended WHERE app_usage.app_pk = ended.app_pk`,
		},
		{
			run: sql`UPDATE connections SET state = 'disconnecting', ended_ms = ${nowMs} WHERE ${where} AND state = 'connected'`,
		},
	];
}

/** Users' own keys stay until their storage is gone, so that a create can say why it is refused. */
export function revokeTeamKeys(where: SQL, reason: string, by: By): readonly Step[] {
	return revokeSteps(sql`${where} AND reach <> 'user'`, reason, by);
}

function byJob(jobId: string, nowMs: number): By {
	return { actor: jobId, requestId: null, nowMs };
}

export function condemnAccountSteps(accountId: string, jobId: string, nowMs: number): readonly Step[] {
	const account = sql`(SELECT pk FROM accounts WHERE id = ${accountId})`;
	return [
		{ run: sql`UPDATE accounts SET status = 'deleting' WHERE id = ${accountId}` },
		...endConnections(sql`connections.account_pk = ${account}`, nowMs),
		// Those without a connection as well.
		{ run: sql`UPDATE storages SET state = 'deleting' WHERE account_pk = ${account} AND state = 'active'` },
		...revokeTeamKeys(sql`creator_pk = ${account}`, "account_deleted", byJob(jobId, nowMs)),
		{ run: sql`DELETE FROM sessions WHERE account_pk = ${account}` },
	];
}

/** The row stays, without an address: connections, keys and the audit refer to it, and its number is never another's. */
export function forgetAccountSteps(accountId: string, jobId: string, nowMs: number): readonly Step<"owner" | "busy">[] {
	const account = sql`(SELECT pk FROM accounts WHERE id = ${accountId})`;
	const theirs = (table: string) => sql`${sql.identifier(table)} WHERE account_pk = ${account}`;
	return [
		{
			run: sql`UPDATE accounts SET status = 'deleting' WHERE id = ${accountId}
				AND NOT EXISTS (SELECT 1 FROM members JOIN apps ON apps.pk = members.app_pk
					WHERE members.account_pk = accounts.pk AND members.role = 'owner' AND apps.deleting_ms IS NULL)`,
			guard: "owner",
		},
		{
			run: sql`INSERT INTO audit (at_ms, actor, event, target)
				SELECT ${nowMs}, ${jobId}, 'account.deleted', id FROM accounts WHERE id = ${accountId} AND deleted_ms IS NULL`,
		},
		{
			run: sql`DELETE FROM invites WHERE accepted_ms IS NOT NULL
				AND email_norm = (SELECT email_norm FROM accounts WHERE id = ${accountId})`,
		},
		{
			run: sql`UPDATE accounts SET email = id, email_norm = id, verified_ms = NULL, deleted_ms = coalesce(deleted_ms, ${nowMs})
				WHERE id = ${accountId} AND NOT EXISTS (SELECT 1 FROM storages WHERE account_pk = accounts.pk)`,
			guard: "busy",
		},
		{
			run: sql`UPDATE connections SET state = 'gone', storage_pk = NULL, email_at_consent = '' WHERE account_pk = ${account}`,
		},
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target)
				SELECT ${nowMs}, ${jobId}, app_pk, 'member.left', ${accountId} FROM members WHERE account_pk = ${account}`,
		},
		...["members", "operators", "sessions", "logins"].map((table) => ({ run: sql`DELETE FROM ${theirs(table)}` })),
	];
}

export function condemnAppSteps(appId: string, jobId: string, nowMs: number): readonly Step[] {
	const app = sql`(SELECT pk FROM apps WHERE id = ${appId})`;
	return [
		{ run: sql`UPDATE apps SET deleting_ms = coalesce(deleting_ms, ${nowMs}) WHERE id = ${appId}` },
		...endConnections(sql`connections.app_pk = ${app}`, nowMs),
		{ run: sql`UPDATE storages SET state = 'deleting' WHERE app_pk = ${app} AND state = 'active'` },
		...revokeTeamKeys(sql`app_pk = ${app}`, "app_deleted", byJob(jobId, nowMs)),
	];
}

/** The row stays, without a name: the audit tells of it by its number, which must never become another App's. */
export function forgetAppSteps(appId: string, jobId: string, nowMs: number): readonly Step<"busy">[] {
	const app = sql`(SELECT pk FROM apps WHERE id = ${appId})`;
	const belongings = ["exchange_codes", "logins", "invites", "redirect_uris", "sessions", "members", "app_usage"];
	return [
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target) SELECT ${nowMs}, ${jobId}, pk, 'app.deleted', id
				FROM apps WHERE id = ${appId} AND EXISTS (SELECT 1 FROM app_usage WHERE app_pk = apps.pk)`,
		},
		{
			run: sql`UPDATE apps SET name = id, name_fold = id, sign_in = 0, selling = 0
				WHERE id = ${appId} AND NOT EXISTS (SELECT 1 FROM storages WHERE app_pk = apps.pk)`,
			guard: "busy",
		},
		{ run: sql`UPDATE connections SET state = 'gone', storage_pk = NULL, email_at_consent = '' WHERE app_pk = ${app}` },
		...belongings.map((table) => ({ run: sql`DELETE FROM ${sql.identifier(table)} WHERE app_pk = ${app}` })),
	];
}
