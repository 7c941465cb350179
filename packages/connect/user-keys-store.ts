import type { By } from "@svc/base/actor";
import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { toBits, toPermissions } from "@svc/keys/keys-store";
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { openSteps } from "./own-storages-store.ts";
import type { NewUserKey, UserKey, UserKeyPlace } from "./user-keys.ts";
import type { UserPage } from "./users.ts";

export interface UserKeyStore {
	/** Of the storage that the person has in this place at present; newest first. */
	list(place: UserKeyPlace, page: Omit<UserPage, "email">): Promise<readonly UserKey[]>;
	/** "not_connected" unless the person is, or can have a storage there; "full" when they hold `most` keys there that still work. */
	create(place: UserKeyPlace, key: NewUserKey, most: number, by: By): Promise<UserKey | "not_connected" | "full">;
	/** For good; false when there is no such key that still works. */
	revoke(place: UserKeyPlace, keyId: string, by: By): Promise<boolean>;
}

export function userKeyStore(database: Database): UserKeyStore {
	const { read, write } = database;
	const find = async (where: SQL | undefined, limit: number): Promise<UserKey[]> => {
		const rows = await read(() => selectKeys(database).where(where).orderBy(desc(keys.pk)).limit(limit));
		return rows.map(({ permissions, ...row }) => ({ ...row, permissions: toPermissions(permissions) }));
	};

	return {
		list: (place, { limit, beforePk }) =>
			find(
				and(
					eq(connections.accountPk, place.account.pk),
					isIn(place),
					beforePk === undefined ? undefined : lt(keys.pk, beforePk),
				),
				limit,
			),
		async create(place, key, most, by) {
			const { refused } = await write([
				...(key.opening ? openSteps(place.account.pk, key.opening, by) : []),
				...createSteps(place, key, most, by),
			]);
			if (refused) return refused;
			const [made] = await find(eq(keys.id, key.id), 1);
			return made ?? "not_connected";
		},
		async revoke(place, keyId, by) {
			const { refused } = await write([
				{
					run: sql`UPDATE keys SET revoked_ms = ${by.nowMs}, revoked_by = ${by.actor}, revoke_reason = 'revoked'
						WHERE id = ${keyId} AND reach = 'user' AND revoked_ms IS NULL AND creator_pk = ${place.account.pk}
							AND EXISTS (SELECT 1 FROM storages WHERE storages.pk = keys.storage_pk AND ${isIn(place)})`,
					guard: "gone",
				},
				told(place, by, "key.revoked", keyId, {}),
			]);
			return refused === undefined;
		},
	};
}

function createSteps(
	place: UserKeyPlace,
	{ id, name, permissions, expiresMs, hash, prefix, last4 }: NewUserKey,
	most: number,
	by: By,
): Step<"not_connected" | "full">[] {
	const { pk: accountPk } = place.account;
	const may = [...permissions].sort();
	const expiry = expiresMs === null ? {} : { expires_at: new Date(expiresMs).toISOString() };
	return [
		{
			run: sql`INSERT INTO keys
				(id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, expires_ms, created_ms)
				SELECT ${id}, connections.app_pk, 'user', storage_pk, connections.account_pk, ${name}, ${toBits(permissions)},
					${hash}, ${prefix}, ${last4}, ${expiresMs}, ${by.nowMs}
				FROM connections JOIN storages ON storages.pk = storage_pk WHERE ${connected(place)}`,
			guard: "not_connected",
		},
		{
			// The new one counts already.
			run: sql`UPDATE keys SET name = name WHERE id = ${id} AND
				(SELECT count(*) FROM keys AS theirs WHERE theirs.creator_pk = ${accountPk} AND theirs.revoked_ms IS NULL
					AND (theirs.expires_ms IS NULL OR theirs.expires_ms > ${by.nowMs})
					AND theirs.reach = 'user' AND theirs.storage_pk = keys.storage_pk) <= ${most}`,
			guard: "full",
		},
		told(place, by, "key.created", id, { name, reach: "user", permissions: may, ...expiry }),
	];
}

/**
 * The App's team reads its audit, and knows its users by their pairwise ids only. What people do outside of every App is for operators
 * to read, who know them by their accounts.
 */
function told(
	{ appId }: UserKeyPlace,
	by: By,
	event: string,
	keyId: string,
	changes: Readonly<Record<string, unknown>>,
): Step {
	const actor = appId === null ? sql`${by.actor}` : sql`connections.user_id`;
	return {
		run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes, request_id)
			SELECT ${by.nowMs}, ${actor}, keys.app_pk, ${event}, keys.id, ${JSON.stringify(changes)}, ${by.requestId}
			FROM keys JOIN connections ON connections.app_pk = keys.app_pk AND connections.account_pk = keys.creator_pk
			WHERE keys.id = ${keyId}`,
	};
}

/**
 * Whether a row of `storages` is of the kind, and in the App, that is meant. A person has few storages and an App may have very many: the plus
 * sign keeps SQLite from starting there.
 */
function isIn({ appId }: UserKeyPlace): SQL {
	return appId === null
		? sql`storages.kind = 'personal'`
		: sql`storages.kind = 'user' AND +storages.app_pk = (SELECT pk FROM apps WHERE id = ${appId})`;
}

function connected(place: UserKeyPlace): SQL {
	const { pk } = place.account;
	return sql`${isIn(place)} AND connections.account_pk = ${pk} AND connections.state = 'connected'
		AND EXISTS (SELECT 1 FROM accounts WHERE pk = ${pk} AND status = 'active')
		AND EXISTS (SELECT 1 FROM apps WHERE pk = connections.app_pk AND deleting_ms IS NULL)`;
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
		.innerJoin(storages, eq(storages.pk, connections.storagePk))
		.innerJoin(keys, and(eq(keys.storagePk, storages.pk), eq(keys.reach, "user")))
		.innerJoin(accounts, eq(accounts.pk, keys.creatorPk));
}
