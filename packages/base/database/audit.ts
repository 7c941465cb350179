import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteInsertValue } from "drizzle-orm/sqlite-core";
import type { Actor } from "../actor.ts";
import { type OfRequest, ofRequest } from "./request-claims.ts";
import { audit } from "./schema/service.ts";
import { columns, statements } from "./statements.ts";
import { keptStatement } from "./write/kept-statements.ts";

export interface AuditEntry {
	readonly atMs: number;
	/** The public id of the actor, or the name of a job. */
	readonly actor: string;
	readonly appPk: number | SQL | null;
	/** The action, as `key.revoked`. */
	readonly event: string;
	readonly target: string | SQL;
	/** The changed fields and their new values; never a secret. */
	readonly changes?: Readonly<Record<string, unknown>>;
	readonly requestId?: string | null;
}

type ActorsEntry = Omit<AuditEntry, "atMs" | "actor" | "requestId">;

/** Entries for several rows: each column that is named here supplies the value of its row. */
interface RowsEntry extends Omit<AuditEntry, "actor" | "appPk" | "target"> {
	readonly actor: string | SQLWrapper;
	readonly appPk: number | SQLWrapper | null;
	readonly target: string | SQLWrapper;
}

/** Must be in the same batch as the change that it records. */
export function auditEntry({ atMs, actor, appPk, event, target, changes, requestId = null }: AuditEntry): OfRequest {
	const row = { atMs, actor, appPk, event, target, changes: toJson(changes), requestId };
	const isPlain = (typeof appPk === "number" || appPk === null) && typeof target === "string";
	return ofRequest(requestId, isPlain ? insertEntry(row) : insertInto(row));
}

const insertInto = (row: SQLiteInsertValue<typeof audit>) => statements.insert(audit).values(row);
const insertEntry = keptStatement(insertInto);

/** The entry for a change by a person or key. */
export function auditBy({ actor, requestId, nowMs }: Actor, entry: ActorsEntry): OfRequest {
	return auditEntry({ ...entry, atMs: nowMs, actor, requestId });
}

/** The entry for a change that may turn out to be none: audited only where the statement just before it touched a row. */
export function auditOnChange({ actor, requestId, nowMs }: Actor, entry: ActorsEntry): OfRequest {
	return auditEach({ ...entry, atMs: nowMs, actor, requestId }, sql`WHERE changes() > 0`);
}

/** One entry for each row of `from`, which begins with FROM or WHERE. */
export function auditEach(
	{ atMs, actor, appPk, event, target, changes, requestId = null }: RowsEntry,
	from: SQL,
): OfRequest {
	const names = columns(
		...[audit.atMs, audit.actor, audit.appPk, audit.event, audit.target, audit.changes, audit.requestId],
	);
	const insert = sql`INSERT INTO ${audit} (${names})
		SELECT ${atMs}, ${actor}, ${appPk}, ${event}, ${target}, ${toJson(changes)}, ${requestId} ${from}`;
	return ofRequest(requestId, insert);
}

function toJson(changes: AuditEntry["changes"]): string | null {
	return changes === undefined ? null : JSON.stringify(auditedChanges(changes));
}

/** Changes as they are shown: with the API's names, and times as dates. */
export function auditedChanges(changes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
	return Object.fromEntries(Object.entries(changes).map(([name, value]) => audited(name, value)));
}

function audited(name: string, value: unknown): readonly [string, unknown] {
	const time = name.endsWith("Ms") && (value === null || typeof value === "number");
	if (time) return [snake(`${name.slice(0, -2)}At`), value === null ? null : new Date(value as number).toISOString()];
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	return [snake(name), isObject ? auditedChanges(value as Readonly<Record<string, unknown>>) : value];
}

function snake(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
