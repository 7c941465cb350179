import type { Span } from "@svc/base/cursors";
import { auditedChanges } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { audit } from "@svc/base/database/schema/service";
import { and, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { AuditFilter, AuditRecord } from "./audit.ts";

export type AuditStore = ReturnType<typeof auditStore>;

/** Lists audit entries, newest first; {@link auditEntry} writes them in the change that they record. */
export function auditStore({ queries, read }: Database) {
	return {
		async list(filter: AuditFilter, span: Span): Promise<readonly AuditRecord[]> {
			const rows = await read(() => auditQuery(queries, filter, span));
			return rows.map(toRecord);
		},
	};
}

export function auditQuery(queries: Database["queries"], filter: AuditFilter, span: Span) {
	return queries
		.select(fieldsFor(filter))
		.from(audit)
		.where(and(...matching(filter, span)))
		.orderBy(desc(audit.pk))
		.limit(span.limit);
}

/** An operator's identity, and what operators note for each other, is shown to operators only. */
const BY_OPERATORS = sql`(${audit.event} GLOB 'moderation.*' OR ${audit.event} GLOB 'operator.*')`;
const SOME_OPERATOR = "operator";

function fieldsFor({ unmasked = false }: AuditFilter) {
	const { actor, changes, ...fields } = getTableColumns(audit);
	return {
		...fields,
		actor: unmasked ? sql<string>`${actor}` : sql<string>`iif(${BY_OPERATORS}, ${SOME_OPERATOR}, ${actor})`,
		changes: unmasked
			? sql<string | null>`${changes}`
			: sql<string | null>`iif(${BY_OPERATORS}, json_remove(${changes}, '$.note'), ${changes})`,
	};
}

/**
 * Each filter has an index in the order of the list, and one of them is used: a team's search reads what its own
 * App did and nothing else, an operator's filters by the actor first. A plus sign keeps SQLite from taking another one.
 */
function matching({ appPk, actor, event, sinceMs, unmasked = false }: AuditFilter, { beforePk }: Span): readonly SQL[] {
	const conditions: SQL[] = [];
	const add = (column: SQLiteColumn, value: string | number | undefined) => {
		if (value !== undefined) conditions.push(conditions.length === 0 ? eq(column, value) : sql`+${column} = ${value}`);
	};
	add(audit.appPk, appPk);
	if (unmasked || actor === undefined) add(audit.actor, actor);
	else if (actor === SOME_OPERATOR) conditions.push(BY_OPERATORS);
	else conditions.push(sql`(+${audit.actor} = ${actor} AND NOT ${BY_OPERATORS})`);
	add(audit.event, event);
	if (sinceMs !== undefined) conditions.push(sql`+${audit.atMs} >= ${sinceMs}`, after(sinceMs - LATENESS_MS));
	if (beforePk !== undefined) conditions.push(lt(audit.pk, beforePk));
	return conditions;
}

/** An entry is dated when its request comes and numbered when it is committed: no request takes so long. */
const LATENESS_MS = 3_600_000;

/** Ends the search where no younger entry can follow, rather than at the first entry of all. */
function after(atMs: number): SQL {
	const older = alias(audit, "older");
	return sql`${audit.pk} > coalesce((SELECT ${older.pk} FROM ${audit} AS ${older} WHERE ${older.atMs} < ${atMs}
		ORDER BY ${older.atMs} DESC LIMIT 1), 0)`;
}

/** A row as it is read everywhere. */
export function toRecord({ appPk: _, changes, ...entry }: typeof audit.$inferSelect): AuditRecord {
	// Entries of earlier releases have names of the code.
	return { ...entry, changes: changes === null ? null : auditedChanges(JSON.parse(changes)) };
}
