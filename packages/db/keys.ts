import type { KeyRecord, Permission } from "@svc/core/access";
import type { KeyStore } from "@svc/core/ports";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { accounts, apps, connections, keys, storages } from "./schema.ts";

export interface BufferedKeyStore extends KeyStore {
	/** Writes what is still buffered; for the end of the process. */
	flush(): Promise<void>;
}

const MINUTE_MS = 60_000;

/** `onLost` is told when times of last use could not be written; nothing else depends on them. */
export function keyStore(database: Database, onLost: (error: unknown) => void = () => undefined): BufferedKeyStore {
	const finds = prepareFinds(database);
	const uses = lastUses(database, onLost);
	return {
		async find(secretHash) {
			const [row] = await database.read(() => finds.key.all({ hash: secretHash }));
			return row && toRecord(row);
		},
		async findUserStorage(appPk, userId) {
			const [row] = await database.read(() => finds.userStorage.all({ appPk, userId }));
			return row;
		},
		touch: uses.touch,
		flush: uses.flush,
	};
}

const storageFields = { pk: storages.pk, id: storages.id, teamHash: storages.teamHash, state: storages.state };

function prepareFinds({ queries }: Database) {
	return {
		key: queries
			.select({ key: keys, app: apps, storage: storageFields })
			.from(keys)
			.innerJoin(apps, eq(apps.pk, keys.appPk))
			.innerJoin(storages, eq(storages.pk, keys.storagePk))
			.innerJoin(accounts, eq(accounts.pk, keys.creatorPk))
			.where(and(eq(keys.hash, sql.placeholder("hash")), creatorMayHold()))
			.prepare(),
		userStorage: queries
			.select(storageFields)
			.from(connections)
			.innerJoin(storages, eq(storages.pk, connections.storagePk))
			.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
			.where(
				and(
					eq(connections.userId, sql.placeholder("userId")),
					eq(connections.appPk, sql.placeholder("appPk")),
					eq(connections.state, "connected"),
					eq(accounts.status, "active"),
					eq(storages.state, "active"),
				),
			)
			.prepare(),
	};
}

/**
 * An App's key works while its creator is Owner or Admin there; a connected user's own key while their storage is still being
 * emptied, so that a create can say so. A disabled account holds no key at all.
 */
function creatorMayHold(): SQL {
	return sql`CASE ${keys.reach}
		WHEN 'user' THEN ${accounts.status} <> 'disabled' AND ${storages.accountPk} = ${keys.creatorPk}
		ELSE ${accounts.status} = 'active' AND EXISTS (
			SELECT 1 FROM members WHERE members.app_pk = ${keys.appPk} AND members.account_pk = ${keys.creatorPk}
			AND members.role IN ('admin', 'owner'))
		END`;
}

interface KeyRow {
	readonly key: typeof keys.$inferSelect;
	readonly app: typeof apps.$inferSelect;
	readonly storage: KeyRecord["storage"];
}

function toRecord({ key, app, storage }: KeyRow): KeyRecord {
	return {
		pk: key.pk,
		id: key.id,
		name: key.name,
		reach: key.reach,
		permissions: toPermissions(key.permissions),
		prefix: key.prefix,
		last4: key.last4,
		createdMs: key.createdMs,
		lastUsedMs: key.lastUsedMs,
		expiresMs: key.expiresMs,
		revokedMs: key.revokedMs,
		app: {
			pk: app.pk,
			id: app.id,
			name: app.name,
			plan: app.plan,
			imagesLimit: app.imagesLimit,
			usersLimit: app.usersLimit,
			paused: app.pausedMs !== null,
			blocked: app.blockedMs !== null,
		},
		storage,
	};
}

const BITS = { read: 1, write: 2 } as const satisfies Record<Permission, number>;

/** Permissions as the bits of `keys.permissions`. */
export function toBits(permissions: Iterable<Permission>): number {
	let bits = 0;
	for (const permission of permissions) bits |= BITS[permission];
	return bits;
}

function toPermissions(bits: number): ReadonlySet<Permission> {
	const all: readonly Permission[] = ["read", "write"];
	return new Set(all.filter((permission) => (bits & BITS[permission]) !== 0));
}

interface Use {
	usedMs: number;
	writtenMs: number;
}

/** When keys were last used: kept here, and written at most once a minute for each. */
function lastUses({ write }: Database, onLost: (error: unknown) => void) {
	const uses = new Map<number, Use>();
	let due = new Set<number>();
	let writing: Promise<void> | undefined;

	async function writeUses(pks: Iterable<number>): Promise<void> {
		const pairs: [number, number][] = [];
		for (const pk of pks) {
			const use = uses.get(pk);
			if (use === undefined || use.usedMs === use.writtenMs) continue;
			use.writtenMs = use.usedMs;
			pairs.push([pk, use.usedMs]);
		}
		if (pairs.length === 0) return;
		// Never backwards: another process may have seen the key later.
		await write([
			{
				run: sql`UPDATE keys SET last_used_ms = max(coalesce(last_used_ms, 0), used.value ->> 1)
					FROM json_each(${JSON.stringify(pairs)}) AS used WHERE keys.pk = used.value ->> 0`,
			},
		]);
	}

	// Keys that fall due while a write is under way share the next one.
	async function drain(): Promise<void> {
		while (due.size > 0) {
			const pks = due;
			due = new Set();
			await writeUses(pks).catch(onLost);
		}
		writing = undefined;
	}

	return {
		touch(keyPk: number, nowMs: number): void {
			const use = uses.get(keyPk) ?? { usedMs: nowMs, writtenMs: Number.NEGATIVE_INFINITY };
			use.usedMs = nowMs;
			uses.set(keyPk, use);
			if (nowMs - use.writtenMs < MINUTE_MS) return;
			due.add(keyPk);
			writing ??= drain();
		},
		async flush(): Promise<void> {
			await writing;
			await writeUses(uses.keys());
		},
	};
}
