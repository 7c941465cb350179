import type { By } from "@svc/core/people";
import type { UserKeyStore } from "@svc/core/ports-users";
import type { UserKey } from "@svc/core/user-keys";
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { toBits, toPermissions } from "./keys.ts";
import { accounts, apps, connections, keys } from "./schema.ts";

export function userKeyStore(database: Database): UserKeyStore {
	const { read, write } = database;
	const find = async (where: SQL | undefined, limit: number): Promise<UserKey[]> => {
		const rows = await read(() => selectKeys(database).where(where).orderBy(desc(keys.pk)).limit(limit));
		return rows.map(({ permissions, ...row }) => ({ ...row, permissions: toPermissions(permissions) }));
	};

	return {
		list: (appId, accountPk, { limit, beforePk }) =>
			find(
				and(
					eq(apps.id, appId),
					eq(connections.accountPk, accountPk),
					beforePk === undefined ? undefined : lt(keys.pk, beforePk),
				),
				limit,
			),
		async create({ id, name, appId, accountPk, hash, prefix, last4 }, most, by) {
			const bits = toBits(["read"]);
			const { refused } = await write([
				{
					run: sql`INSERT INTO keys
						(id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, created_ms)
						SELECT ${id}, app_pk, 'user', storage_pk, account_pk, ${name}, ${bits}, ${hash}, ${prefix}, ${last4}, ${by.nowMs}
						FROM connections WHERE ${connected(appId, accountPk)}`,
					guard: "not_connected",
				},
				{
					// The new one counts already.
					run: sql`UPDATE keys SET name = name WHERE id = ${id} AND
						(SELECT count(*) FROM keys AS theirs WHERE theirs.creator_pk = ${accountPk} AND theirs.revoked_ms IS NULL
							AND theirs.reach = 'user' AND theirs.storage_pk = keys.storage_pk) <= ${most}`,
					guard: "full",
				},
				{ run: told(by, "key.created", id, { name, reach: "user", permissions: ["read"] }) },
			]);
			if (refused) return refused;
			const [key] = await find(eq(keys.id, id), 1);
			return key ?? "not_connected";
		},
		async revoke(appId, accountPk, keyId, by) {
			const { refused } = await write([
				{
					run: sql`UPDATE keys SET revoked_ms = ${by.nowMs}, revoked_by = ${by.actor}, revoke_reason = 'revoked'
						WHERE id = ${keyId} AND reach = 'user' AND revoked_ms IS NULL AND creator_pk = ${accountPk}
							AND app_pk = ${appOf(appId)}`,
					guard: "gone",
				},
				{ run: told(by, "key.revoked", keyId, {}) },
			]);
			return refused === undefined;
		},
	};
}

/** The App's team reads its audit, and knows its users by their pairwise ids only. */
function told(by: By, event: string, keyId: string, changes: Readonly<Record<string, unknown>>): SQL {
	return sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes, request_id)
		SELECT ${by.nowMs}, connections.user_id, keys.app_pk, ${event}, keys.id, ${JSON.stringify(changes)}, ${by.requestId}
		FROM keys JOIN connections ON connections.app_pk = keys.app_pk AND connections.account_pk = keys.creator_pk
		WHERE keys.id = ${keyId}`;
}

function appOf(appId: string): SQL {
	return sql`(SELECT pk FROM apps WHERE id = ${appId})`;
}

function connected(appId: string, accountPk: number): SQL {
	return sql`app_pk = ${appOf(appId)} AND account_pk = ${accountPk} AND state = 'connected'
		AND EXISTS (SELECT 1 FROM accounts WHERE pk = ${accountPk} AND status = 'active')
		AND EXISTS (SELECT 1 FROM apps WHERE pk = app_pk AND deleting_ms IS NULL)`;
}

/** Keys of the storage that their connection has at present. */
function selectKeys({ queries }: Database) {
	return queries
		.select({
			pk: keys.pk,
			id: keys.id,
			name: keys.name,
			permissions: keys.permissions,
			prefix: keys.prefix,
			last4: keys.last4,
			createdBy: accounts.id,
			createdMs: keys.createdMs,
			lastUsedMs: keys.lastUsedMs,
			expiresMs: keys.expiresMs,
			revokedMs: keys.revokedMs,
			revokeReason: keys.revokeReason,
		})
		.from(connections)
		.innerJoin(apps, eq(apps.pk, connections.appPk))
		.innerJoin(keys, and(eq(keys.storagePk, connections.storagePk), eq(keys.reach, "user")))
		.innerJoin(accounts, eq(accounts.pk, keys.creatorPk));
}
