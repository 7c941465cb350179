import type { KeyRecord } from "@svc/apps/access";
import { storageFields, toApp } from "@svc/apps/team/memberships-store";
import type { Database } from "@svc/base/database/client";
import { lastUses } from "@svc/base/database/last-uses";
import { rowsOf } from "@svc/base/database/rows";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members, storages } from "@svc/base/database/schema/apps";
import { keys } from "@svc/base/database/schema/keys";
import { untilChanged } from "@svc/base/database/until-changed";
import { PERMISSIONS, type Permission } from "@svc/base/enumerations";
import { and, eq, type SQL, sql } from "drizzle-orm";

/** `onLost` is called when times of last use could not be written; nothing else depends on them. */
export function keyStore(database: Database, onLost: (error: unknown) => void = () => undefined) {
	const byHash = selectKeys(database)
		.where(and(eq(keys.hash, sql.placeholder("hash")), creatorMayHold()))
		.prepare();
	const byId = selectKeys(database)
		.where(and(eq(keys.id, sql.placeholder("id")), creatorMayHold()))
		.prepare();
	const find = async (hash: Uint8Array): Promise<KeyRecord | undefined> => {
		const [row] = await database.read(() => byHash.all({ hash }));
		return row && toRecord(row);
	};
	const uses = lastUses<number>(database, "keys", onLost);
	return {
		/** Finds a key by the SHA-256 of a secret, with its App and App storage; undefined for an unknown one. */
		find: untilChanged(database, {
			find,
			sql: byHash.getQuery().sql,
			nameOf: (hash) => Buffer.from(hash).toString("base64"),
			rowsOf: ({ pk, storage }) => [rowsOf.keys(pk), rowsOf.storages(storage.pk)],
		}),
		/** The same by its public id: for what was begun with the key, and goes on without its secret. */
		async findById(id: string): Promise<KeyRecord | undefined> {
			const [row] = await database.read(() => byId.all({ id }));
			return row && toRecord(row);
		},
		/** Takes the pk of a key. Buffered: written at most once a minute for each. */
		touch: uses.touch,
		/** Writes what is still buffered; for the end of the process. */
		flush: uses.flush,
	};
}

function selectKeys({ queries }: Database) {
	return queries
		.select({ key: keys, app: apps, storage: storageFields })
		.from(keys)
		.innerJoin(apps, eq(apps.pk, keys.appPk))
		.innerJoin(storages, eq(storages.pk, keys.storagePk))
		.innerJoin(accounts, eq(accounts.pk, keys.creatorPk));
}

/**
 * An App's key works while its creator is Owner or Admin there; a connected user's own key while their storage is still being
 * emptied, so that a create can report it. A disabled account holds no key at all.
 */
export function creatorMayHold(): SQL {
	return sql`CASE ${keys.reach}
		WHEN 'user' THEN ${accounts.status} <> 'disabled' AND ${storages.accountPk} = ${keys.creatorPk}
		ELSE ${accounts.status} = 'active' AND EXISTS (
			SELECT 1 FROM ${members} WHERE ${members.appPk} = ${keys.appPk} AND ${members.accountPk} = ${keys.creatorPk}
			AND ${members.role} IN ('admin', 'owner'))
		END`;
}

interface KeyRow {
	readonly key: typeof keys.$inferSelect;
	readonly app: typeof apps.$inferSelect;
	readonly storage: KeyRecord["storage"];
}

function toRecord({ key, app, storage }: KeyRow): KeyRecord {
	const { pk, id, name, reach, prefix, last4, createdMs, lastUsedMs, expiresMs, revokedMs } = key;
	const permissions = toPermissions(key.permissions);
	return {
		...{ pk, id, name, reach, permissions, prefix, last4, createdMs, lastUsedMs, expiresMs, revokedMs },
		...{ app: toApp(app), storage },
	};
}

const BITS = { read: 1, write: 2 } as const satisfies Record<Permission, number>;

/** Permissions as the bits of `keys.permissions`. */
export function toBits(permissions: Iterable<Permission>): number {
	let bits = 0;
	for (const permission of permissions) bits |= BITS[permission];
	return bits;
}

export function toPermissions(bits: number): ReadonlySet<Permission> {
	return new Set(PERMISSIONS.filter((permission) => (bits & BITS[permission]) !== 0));
}
