import { type SQL, sql } from "drizzle-orm";

export interface AuditEntry {
	readonly atMs: number;
	/** The public id of whoever did it, or the name of a job. */
	readonly actor: string;
	readonly appPk: number | SQL | null;
	readonly event: string;
	readonly target: string;
}

/** Belongs into the same batch as the change that it tells of. */
export function auditEntry({ atMs, actor, appPk, event, target }: AuditEntry): SQL {
	return sql`INSERT INTO audit (at_ms, actor, app_pk, event, target)
		VALUES (${atMs}, ${actor}, ${appPk}, ${event}, ${target})`;
}
