import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../actor.ts";

export interface AuditEntry {
	readonly atMs: number;
	/** The public id of whoever did it, or the name of a job. */
	readonly actor: string;
	readonly appPk: number | SQL | null;
	/** What was done, as `key.revoked`. */
	readonly event: string;
	readonly target: string | SQL;
	/** Fields and what they became; never a secret. */
	readonly changes?: Readonly<Record<string, unknown>>;
	readonly requestId?: string | null;
}

/** Belongs into the same batch as the change that it tells of. */
export function auditEntry({ atMs, actor, appPk, event, target, changes, requestId = null }: AuditEntry): SQL {
	const json = changes === undefined ? null : JSON.stringify(changes);
	return sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes, request_id)
		VALUES (${atMs}, ${actor}, ${appPk}, ${event}, ${target}, ${json}, ${requestId})`;
}

/** The same, for what a person or key did. */
export function auditBy(
	{ actor, requestId, nowMs }: Actor,
	entry: Omit<AuditEntry, "atMs" | "actor" | "requestId">,
): SQL {
	return auditEntry({ ...entry, atMs: nowMs, actor, requestId });
}

/** The same, for a change that may turn out to be none: told of only where the statement just before it touched a row. */
export function auditOnChange(
	{ actor, requestId, nowMs }: Actor,
	{ appPk, event, target, changes }: Omit<AuditEntry, "atMs" | "actor" | "requestId">,
): SQL {
	const json = changes === undefined ? null : JSON.stringify(changes);
	return sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes, request_id)
		SELECT ${nowMs}, ${actor}, ${appPk}, ${event}, ${target}, ${json}, ${requestId} WHERE changes() > 0`;
}
