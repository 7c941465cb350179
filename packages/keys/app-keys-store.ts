import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import { keyCreated } from "@svc/apps/key-events-store";
import { isLive, revokeSteps } from "@svc/apps/key-steps-store";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import type { OfRequest } from "@svc/base/database/request-claims";
import { accounts } from "@svc/base/database/schema/accounts";
import { storages } from "@svc/base/database/schema/apps";
import { keys } from "@svc/base/database/schema/keys";
import {
	columns,
	condition,
	olderThan,
	returned,
	rowCondition,
	statements,
	updateStep,
} from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { letterSteps } from "@svc/people/letters/security-letters-store";
import { and, desc, eq, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { AppKey, NewAppKey } from "./app-key.ts";
import { toBits, toPermissions } from "./keys-store.ts";

export function appKeyStore(database: Database) {
	return {
		/** Lists App-wide and App-storage keys, revoked ones too; users' keys are not listed. */
		list: listKeys.bind(null, database),
		/** Those that work and end by themselves before `endMs`, and the newest that works; the newest first. */
		listEnding: listEndingKeys.bind(null, database),
		find: findKey.bind(null, database),
		create: createKey.bind(null, database),
		/** The key as it then is; `dead` for one that was revoked or has expired. A value that is set already is neither changed nor audited. */
		change: changeKey.bind(null, database),
		/**
		 * The old key works until `endMs`, and no more when that is now; null leaves it unchanged. `dead` for a key that was revoked, has
		 * expired, or has a successor that was not revoked.
		 */
		rotate: rotateKey.bind(null, database),
		/** A revoked key stays as it is. */
		revoke: revokeKey.bind(null, database),
	};
}

/** A literal, so that its index applies. */
const OF_TEAM = sql`${keys.reach} <> 'user'`;

function selectKeys({ queries }: Database) {
	return queries
		.select({ key: keys, createdBy: accounts.id })
		.from(keys)
		.innerJoin(accounts, eq(accounts.pk, keys.creatorPk))
		.$dynamic();
}

async function listKeys(database: Database, appPk: number, { limit, beforePk }: Span): Promise<readonly AppKey[]> {
	const rows = await database.read(() =>
		selectKeys(database)
			.where(and(eq(keys.appPk, appPk), OF_TEAM, olderThan(keys.pk, beforePk)))
			.orderBy(desc(keys.pk))
			.limit(limit),
	);
	return rows.map(toAppKey);
}

async function listEndingKeys(
	database: Database,
	appPk: number,
	{ nowMs, endMs, limit }: { readonly nowMs: number; readonly endMs: number; readonly limit: number },
): Promise<readonly AppKey[]> {
	const working = and(eq(keys.appPk, appPk), OF_TEAM, isLive(nowMs));
	const newest = sql`(SELECT max(${keys.pk}) FROM ${keys} WHERE ${working})`;
	const rows = await database.read(() =>
		selectKeys(database)
			.where(and(working, sql`(${keys.expiresMs} < ${endMs} OR ${keys.pk} = ${newest})`))
			.orderBy(desc(keys.pk))
			.limit(limit),
	);
	return rows.map(toAppKey);
}

async function findKey(database: Database, appPk: number, id: string): Promise<AppKey | undefined> {
	const named = and(eq(keys.id, id), eq(keys.appPk, appPk), OF_TEAM);
	const [row] = await database.read(() => selectKeys(database).where(named));
	return row && toAppKey(row);
}

async function createKey(
	{ write }: Database,
	authority: Authority,
	key: NewAppKey,
	max: number,
	letters: readonly NewLetter[],
): Promise<"demoted" | "full" | undefined> {
	const { appPk, accountPk: creatorPk, by } = authority;
	const storagePk = sql`(SELECT ${storages.pk} FROM ${storages}
		WHERE ${storages.appPk} = ${appPk} AND ${storages.kind} = 'app')`;
	const permissions = toBits(key.permissions);
	const row = { ...rowOf(key), appPk, storagePk, creatorPk, permissions, createdMs: by.nowMs };
	const { refused } = await write([
		authorityStep(authority),
		roomFor(authority, max),
		{ run: statements.insert(keys).values(row) },
		...letterSteps(letters, by.nowMs),
		{ run: createdEntry(authority, key) },
		keyCreated(by, key.id),
	]);
	return refused;
}

async function changeKey(
	{ write }: Database,
	authority: Authority,
	key: AppKey,
	{ name, expiresMs }: { readonly name?: string | undefined; readonly expiresMs?: number | null | undefined },
): Promise<"demoted" | "dead" | AppKey> {
	const { pk, id } = key;
	const { appPk, by } = authority;
	const steps: Step<"demoted" | "dead">[] = [
		authorityStep(authority),
		rowCondition(keys.name, sql`${keys.pk} = ${pk} AND ${isLive(by.nowMs)}`, "dead"),
	];
	if (name !== undefined) {
		const entry = { appPk, event: "key.renamed", target: id, changes: { name } };
		const rename = updateStep(keys, { name }, and(eq(keys.pk, pk), ne(keys.name, name)));
		steps.push(rename, { run: auditOnChange(by, entry) });
	}
	if (expiresMs !== undefined) {
		const unlike = sql`${keys.expiresMs} IS NOT ${expiresMs}`;
		const changes = { expires_at: isoDate(expiresMs) };
		const entry = { appPk, event: "key.expiry_changed", target: id, changes };
		steps.push(updateStep(keys, { expiresMs }, and(eq(keys.pk, pk), unlike)), { run: auditOnChange(by, entry) });
	}
	// Read in the same commit: a later look would answer with what somebody else has changed since.
	const after = statements.update(keys).set({ name: keys.name }).where(eq(keys.pk, pk)).returning(returned(CHANGEABLE));
	const written = await write([...steps, { run: after }]);
	if (written.refused !== undefined) return written.refused;

	return { ...key, ...(written.rows?.at(-1)?.[0] as Pick<AppKey, keyof typeof CHANGEABLE>) };
}

const CHANGEABLE = { name: keys.name, expiresMs: keys.expiresMs, replacedBy: keys.replacedBy };

interface Rotation {
	readonly successor: NewAppKey;
	/** When the old key ends; null: it works until it is revoked. */
	readonly endMs: number | null;
	readonly letters: readonly NewLetter[];
}

async function rotateKey(
	{ write }: Database,
	authority: Authority,
	old: AppKey,
	{ successor, endMs, letters }: Rotation,
	max: number,
): Promise<"demoted" | "dead" | "full" | undefined> {
	const { appPk, by } = authority;
	const replacedBy = successor.id;
	const { refused } = await write([
		authorityStep(authority),
		roomFor(authority, max),
		replaceStep(old.pk, replacedBy, endMs, by.nowMs),
		{ run: auditBy(by, { appPk, event: "key.rotated", target: old.id, changes: { replaced_by: replacedBy } }) },
		{ run: insertSuccessor(old.pk, successor, by.nowMs) },
		...letterSteps(letters, by.nowMs),
		{ run: createdEntry(authority, successor) },
		keyCreated(by, successor.id),
		...(endMs !== null && endMs <= by.nowMs ? revokeSteps(eq(keys.pk, old.pk), "rotated", by) : []),
	]);
	return refused;
}

async function revokeKey({ write }: Database, authority: Authority, { pk }: AppKey): Promise<"demoted" | undefined> {
	return (await write([authorityStep(authority), ...revokeSteps(eq(keys.pk, pk), "revoked", authority.by)])).refused;
}

function replaceStep(pk: number, replacedBy: string, endMs: number | null, nowMs: number): Step<"dead"> {
	const successor = alias(keys, "successor");
	const revoked = sql`SELECT 1 FROM ${keys} AS ${successor}
		WHERE ${successor.id} = ${keys.replacedBy} AND ${successor.revokedMs} IS NOT NULL`;
	const free = sql`(${keys.replacedBy} IS NULL OR EXISTS (${revoked}))`;
	const expiresMs = endMs === null ? keys.expiresMs : sql`min(coalesce(${keys.expiresMs}, ${endMs}), ${endMs})`;
	return updateStep(keys, { replacedBy, expiresMs }, and(eq(keys.pk, pk), isLive(nowMs), free), "dead");
}

/** Copies the row and not the earlier read: the key may have been renamed meanwhile. */
function insertSuccessor(pk: number, successor: NewAppKey, nowMs: number): SQL {
	const { id, hash, prefix, last4, expiresMs } = successor;
	const kept = columns(keys.appPk, keys.reach, keys.storagePk, keys.creatorPk, keys.name, keys.permissions);
	const own = columns(keys.id, keys.hash, keys.prefix, keys.last4, keys.expiresMs, keys.createdMs);
	return sql`INSERT INTO ${keys} (${kept}, ${own})
		SELECT ${kept}, ${id}, ${hash}, ${prefix}, ${last4}, ${expiresMs}, ${nowMs} FROM ${keys} WHERE ${keys.pk} = ${pk}`;
}

function roomFor({ appPk, by }: Authority, max: number): Step<"full"> {
	const live = sql`SELECT count(*) FROM ${keys} WHERE ${keys.appPk} = ${appPk} AND ${OF_TEAM} AND ${isLive(by.nowMs)}`;
	return condition(appPk, sql`(${live}) < ${max}`, "full");
}

function rowOf({ id, name, reach, hash, prefix, last4, expiresMs }: NewAppKey) {
	return { id, name, reach, hash, prefix, last4, expiresMs };
}

function createdEntry({ appPk, by }: Authority, { id, name, reach, permissions, expiresMs }: NewAppKey): OfRequest {
	const changes = { name, reach, permissions: [...permissions].sort(), expires_at: isoDate(expiresMs) };
	return auditBy(by, { appPk, event: "key.created", target: id, changes });
}

function isoDate(milliseconds: number | null): string | null {
	return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

interface KeyOfTeam {
	readonly key: Omit<typeof keys.$inferSelect, "hash">;
	readonly createdBy: string;
}

export function toAppKey({ key, createdBy }: KeyOfTeam): AppKey {
	const { pk, id, name, reach, prefix, last4, creatorPk, createdMs, lastUsedMs } = key;
	const { expiresMs, revokedMs, revokeReason, replacedBy } = key;
	return {
		...{ pk, id, name, reach, prefix, last4, creatorPk, createdBy, createdMs, lastUsedMs },
		...{ expiresMs, revokedMs, revokeReason, replacedBy },
		permissions: toPermissions(key.permissions),
	};
}
