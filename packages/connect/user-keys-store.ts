import { isActive } from "@svc/apps/authority-store";
import { isLive } from "@svc/apps/key-steps-store";
import type { Actor } from "@svc/base/actor";
import type { Database } from "@svc/base/database/client";
import { ofRequest } from "@svc/base/database/request-claims";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { audit } from "@svc/base/database/schema/service";
import { columns, condition, olderThan, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { toBits, toPermissions } from "@svc/keys/keys-store";
import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { UserPage } from "./connected-user.ts";
import { openSteps } from "./own-storages-store.ts";
import type { NewUserKey, UserKey, UserKeyPlace } from "./user-key.ts";

export function userKeyStore(database: Database) {
	return {
		/** Whether the person is connected there; everybody is to what is outside of every App. */
		isHeld: isHeld.bind(null, database),
		/** Lists keys of the storage that the person has here now; newest first. */
		list: listKeys.bind(null, database),
		/** "not_connected" unless the person is connected or can have a storage there; "full" when they hold `most` live keys there. */
		create: createKey.bind(null, database),
		/** Revokes for good; false when there is no such key that still works. */
		revoke: revokeKey.bind(null, database),
	};
}

async function isHeld({ queries, read }: Database, { account, appId }: UserKeyPlace): Promise<boolean> {
	if (appId === null) return true;
	const { pk, accountPk, appPk, state } = connections;
	const theirs = and(eq(accountPk, account.pk), eq(state, "connected"), eq(apps.id, appId));
	const connected = queries.select({ pk }).from(connections).innerJoin(apps, eq(apps.pk, appPk)).where(theirs);
	return (await read(() => connected.limit(1))).length > 0;
}

function listKeys(
	database: Database,
	place: UserKeyPlace,
	{ limit, beforePk }: Omit<UserPage, "email">,
): Promise<readonly UserKey[]> {
	const theirs = and(eq(connections.accountPk, place.account.pk), isIn(place));
	return findKeys(database, and(theirs, olderThan(keys.pk, beforePk)), limit);
}

async function createKey(
	database: Database,
	place: UserKeyPlace,
	key: NewUserKey,
	most: number,
	by: Actor,
): Promise<UserKey | "not_connected" | "full"> {
	const { refused } = await database.write([
		...(key.opening ? openSteps(place.account.pk, key.opening, by) : []),
		...createSteps(place, key, most, by),
	]);
	if (refused) return refused;
	const [made] = await findKeys(database, eq(keys.id, key.id), 1);
	return made ?? "not_connected";
}

async function revokeKey({ write }: Database, place: UserKeyPlace, keyId: string, by: Actor): Promise<boolean> {
	const isThere = sql`EXISTS (SELECT 1 FROM ${storages} WHERE ${storages.pk} = ${keys.storagePk} AND ${isIn(place)})`;
	const live = and(eq(keys.id, keyId), eq(keys.reach, "user"), isNull(keys.revokedMs));
	const theirs = and(live, eq(keys.creatorPk, place.account.pk), isThere);
	const { refused } = await write([
		updateStep(keys, { revokedMs: by.nowMs, revokedBy: by.actor, revokeReason: "revoked" }, theirs, "gone"),
		auditStep(place, by, "key.revoked", keyId, {}),
	]);
	return refused === undefined;
}

async function findKeys(database: Database, where: SQL | undefined, limit: number): Promise<readonly UserKey[]> {
	const rows = await database.read(() => selectKeys(database).where(where).orderBy(desc(keys.pk)).limit(limit));
	return rows.map(({ permissions, ...row }) => ({ ...row, permissions: toPermissions(permissions) }));
}

function createSteps(
	place: UserKeyPlace,
	key: NewUserKey,
	most: number,
	by: Actor,
): readonly Step<"not_connected" | "full">[] {
	const { id, name, permissions, expiresMs } = key;
	const may = [...permissions].sort();
	const expiry = expiresMs === null ? {} : { expires_at: new Date(expiresMs).toISOString() };
	const made = alias(keys, "made");
	// The count includes the new key.
	const held = sql`SELECT count(*) FROM ${keys} WHERE ${keys.creatorPk} = ${place.account.pk} AND ${isLive(by.nowMs)}
		AND ${keys.reach} = 'user'
		AND ${keys.storagePk} = (SELECT ${made.storagePk} FROM ${keys} AS ${made} WHERE ${made.id} = ${id})`;
	return [
		{ run: insertKey(place, key, by.nowMs), guard: "not_connected" },
		condition(sql`(SELECT ${keys.appPk} FROM ${keys} WHERE ${keys.id} = ${id})`, sql`(${held}) <= ${most}`, "full"),
		auditStep(place, by, "key.created", id, { name, reach: "user", permissions: may, ...expiry }),
	];
}

const KEY_COLUMNS = columns(
	...[keys.id, keys.appPk, keys.reach, keys.storagePk, keys.creatorPk, keys.name, keys.permissions],
	...[keys.hash, keys.prefix, keys.last4, keys.expiresMs, keys.createdMs],
);

function insertKey(place: UserKeyPlace, key: NewUserKey, nowMs: number): SQL {
	const { id, name, permissions, expiresMs, hash, prefix, last4 } = key;
	return sql`INSERT INTO ${keys} (${KEY_COLUMNS})
		SELECT ${id}, ${connections.appPk}, 'user', ${connections.storagePk}, ${connections.accountPk}, ${name},
			${toBits(permissions)}, ${hash}, ${prefix}, ${last4}, ${expiresMs}, ${nowMs}
		FROM ${connections} JOIN ${storages} ON ${storages.pk} = ${connections.storagePk} WHERE ${connected(place)}`;
}

/**
 * The App's team reads its audit, and knows its users by their pairwise ids only. Actions outside of every App are for operators
 * to read, who know them by their accounts.
 */
function auditStep(
	{ appId }: UserKeyPlace,
	by: Actor,
	event: string,
	keyId: string,
	changes: Readonly<Record<string, unknown>>,
): Step {
	const { atMs, actor, appPk, target, requestId } = audit;
	const author = appId === null ? sql`${by.actor}` : sql`${connections.userId}`;
	return {
		run: ofRequest(
			by.requestId,
			sql`INSERT INTO ${audit} (${columns(atMs, actor, appPk, audit.event, target, audit.changes, requestId)})
			SELECT ${by.nowMs}, ${author}, ${keys.appPk}, ${event}, ${keys.id}, ${JSON.stringify(changes)}, ${by.requestId}
			FROM ${keys} JOIN ${connections}
				ON ${connections.appPk} = ${keys.appPk} AND ${connections.accountPk} = ${keys.creatorPk}
			WHERE ${keys.id} = ${keyId}`,
		),
	};
}

/**
 * Whether a row of `storages` has the requested kind and App. A person has few storages and an App may have very many: the plus
 * sign keeps SQLite from starting there.
 */
function isIn({ appId }: UserKeyPlace): SQL {
	return appId === null
		? sql`${storages.kind} = 'personal'`
		: sql`${storages.kind} = 'user' AND +${storages.appPk} = (SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${appId})`;
}

function connected(place: UserKeyPlace): SQL {
	const { pk } = place.account;
	return sql`${isIn(place)} AND ${connections.accountPk} = ${pk} AND ${connections.state} = 'connected' AND ${isActive(pk)}
		AND EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${connections.appPk} AND ${apps.deletingMs} IS NULL)`;
}

/** Keys of the storage that the connection has now. */
function selectKeys({ queries }: Database) {
	const { pk, id, name, permissions, prefix, last4, createdMs, lastUsedMs, expiresMs, revokedMs, revokeReason } = keys;
	return queries
		.select({
			...{ pk, id, name, permissions, prefix, last4, createdBy: accounts.id },
			...{ createdMs, lastUsedMs, expiresMs, revokedMs, revokeReason },
		})
		.from(connections)
		.innerJoin(storages, eq(storages.pk, connections.storagePk))
		.innerJoin(keys, and(eq(keys.storagePk, storages.pk), eq(keys.reach, "user")))
		.innerJoin(accounts, eq(accounts.pk, keys.creatorPk));
}
