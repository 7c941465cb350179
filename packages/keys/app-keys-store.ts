import type { Authority } from "@svc/apps/authority";
import { authorityStep, condition } from "@svc/apps/authority-store";
import { isLive, revokeSteps } from "@svc/apps/key-steps-store";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { keys } from "@svc/base/database/schema/keys";
import type { KeyReach, Permission } from "@svc/base/enumerations";
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { AppKey } from "./app-keys.ts";
import { toBits, toPermissions } from "./keys-store.ts";

export interface NewAppKey {
	readonly id: string;
	readonly name: string;
	readonly reach: KeyReach;
	readonly permissions: ReadonlySet<Permission>;
	readonly secretHash: Uint8Array;
	readonly prefix: string;
	readonly last4: string;
	readonly expiresMs: number | null;
}

export interface AppKeyStore {
	/** App-wide and App-storage keys, revoked ones too; those of users are theirs. */
	list(appPk: number, span: Span): Promise<readonly AppKey[]>;
	find(appPk: number, id: string): Promise<AppKey | undefined>;
	create(authority: Authority, key: NewAppKey, max: number): Promise<"demoted" | "full" | undefined>;
	/** `dead` for a key that was revoked or has expired. What is already so is neither changed nor told of. */
	change(
		authority: Authority,
		key: AppKey,
		changes: { readonly name?: string | undefined; readonly expiresMs?: number | null | undefined },
	): Promise<"demoted" | "dead" | undefined>;
	/**
	 * The old key works until `endMs`, and no more when that is now; null leaves it as it is. `dead` for a key that was revoked, has
	 * expired, or has a successor that was not revoked.
	 */
	rotate(
		authority: Authority,
		old: AppKey,
		successor: NewAppKey,
		endMs: number | null,
		max: number,
	): Promise<"demoted" | "dead" | "full" | undefined>;
	/** A revoked key stays as it is. */
	revoke(authority: Authority, key: AppKey): Promise<"demoted" | undefined>;
}

/** A literal, so that its index applies. */
const OF_TEAM = sql`${keys.reach} <> 'user'`;

export function appKeyStore({ queries, read, write }: Database): AppKeyStore {
	const select = () =>
		queries
			.select({ key: keys, createdBy: accounts.id })
			.from(keys)
			.innerJoin(accounts, eq(accounts.pk, keys.creatorPk))
			.$dynamic();
	return {
		async list(appPk, { limit, beforePk }) {
			const before = beforePk === undefined ? undefined : lt(keys.pk, beforePk);
			const rows = await read(() =>
				select()
					.where(and(eq(keys.appPk, appPk), OF_TEAM, before))
					.orderBy(desc(keys.pk))
					.limit(limit),
			);
			return rows.map(toAppKey);
		},
		async find(appPk, id) {
			const [row] = await read(() => select().where(and(eq(keys.id, id), eq(keys.appPk, appPk), OF_TEAM)));
			return row && toAppKey(row);
		},
		async create(authority, key, max) {
			const { appPk, accountPk, by } = authority;
			const storagePk = sql<number>`(SELECT pk FROM storages WHERE app_pk = ${appPk} AND kind = 'app')`;
			const { refused } = await write([
				authorityStep(authority),
				roomFor(authority, max),
				{
					run: queries.insert(keys).values({
						...facts(key),
						appPk,
						storagePk,
						creatorPk: accountPk,
						reach: key.reach,
						name: key.name,
						permissions: toBits(key.permissions),
						createdMs: by.nowMs,
					}),
				},
				{ run: createdEntry(authority, key) },
			]);
			return refused;
		},
		async change(authority, { pk, id }, { name, expiresMs }) {
			const { appPk, by } = authority;
			const tell = (event: string, changes: Readonly<Record<string, unknown>>): Step => ({
				run: auditOnChange(by, { appPk, event, target: id, changes }),
			});
			const rename = sql`UPDATE keys SET name = ${name} WHERE pk = ${pk} AND name <> ${name}`;
			const limit = sql`UPDATE keys SET expires_ms = ${expiresMs} WHERE pk = ${pk} AND expires_ms IS NOT ${expiresMs}`;
			const { refused } = await write([
				authorityStep(authority),
				{ run: sql`UPDATE keys SET name = name WHERE pk = ${pk} AND ${isLive(by.nowMs)}`, guard: "dead" },
				...(name === undefined ? [] : [{ run: rename }, tell("key.renamed", { name })]),
				...(expiresMs === undefined
					? []
					: [{ run: limit }, tell("key.expiry_changed", { expires_at: isoDate(expiresMs) })]),
			]);
			return refused;
		},
		async rotate(authority, old, successor, endMs, max) {
			return (await write(rotateSteps(authority, old, successor, endMs, max))).refused;
		},
		async revoke(authority, { pk }) {
			return (await write([authorityStep(authority), ...revokeSteps(sql`pk = ${pk}`, "revoked", authority.by)]))
				.refused;
		},
	};
}

function rotateSteps(
	authority: Authority,
	old: AppKey,
	successor: NewAppKey,
	endMs: number | null,
	max: number,
): readonly Step<"demoted" | "full" | "dead">[] {
	const { appPk, by } = authority;
	const { id, hash, prefix, last4, expiresMs } = facts(successor);
	const end = endMs === null ? sql`expires_ms` : sql`min(coalesce(expires_ms, ${endMs}), ${endMs})`;
	return [
		authorityStep(authority),
		roomFor(authority, max),
		{
			run: sql`UPDATE keys SET replaced_by = ${id}, expires_ms = ${end} WHERE pk = ${old.pk} AND ${isLive(by.nowMs)}
				AND (replaced_by IS NULL OR EXISTS (
					SELECT 1 FROM keys AS successor WHERE successor.id = keys.replaced_by AND successor.revoked_ms IS NOT NULL))`,
			guard: "dead",
		},
		{ run: auditBy(by, { appPk, event: "key.rotated", target: old.id, changes: { replaced_by: id } }) },
		// From the row and not from what was read: it may have been renamed meanwhile.
		{
			run: sql`INSERT INTO keys (id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, expires_ms, created_ms)
				SELECT ${id}, app_pk, reach, storage_pk, creator_pk, name, permissions, ${hash}, ${prefix}, ${last4}, ${expiresMs}, ${by.nowMs}
				FROM keys WHERE pk = ${old.pk}`,
		},
		{ run: createdEntry(authority, successor) },
		...(endMs !== null && endMs <= by.nowMs ? revokeSteps(sql`pk = ${old.pk}`, "rotated", by) : []),
	];
}

function roomFor({ appPk, by }: Authority, max: number): Step<"full"> {
	const live = sql`(SELECT count(*) FROM keys WHERE app_pk = ${appPk} AND reach <> 'user' AND ${isLive(by.nowMs)})`;
	return condition(appPk, sql`${live} < ${max}`, "full");
}

function facts({ id, secretHash: hash, prefix, last4, expiresMs }: NewAppKey) {
	return { id, hash, prefix, last4, expiresMs };
}

function createdEntry({ appPk, by }: Authority, { id, name, reach, permissions, expiresMs }: NewAppKey): SQL {
	const changes = { name, reach, permissions: [...permissions].sort(), expires_at: isoDate(expiresMs) };
	return auditBy(by, { appPk, event: "key.created", target: id, changes });
}

function isoDate(milliseconds: number | null): string | null {
	return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

function toAppKey({ key, createdBy }: { key: typeof keys.$inferSelect; createdBy: string }): AppKey {
	const { pk, id, name, reach, prefix, last4, creatorPk, createdMs, lastUsedMs } = key;
	const { expiresMs, revokedMs, revokeReason, replacedBy } = key;
	return {
		...{ pk, id, name, reach, prefix, last4, creatorPk, createdBy, createdMs, lastUsedMs },
		...{ expiresMs, revokedMs, revokeReason, replacedBy },
		permissions: toPermissions(key.permissions),
	};
}
