import type { AuditRecord } from "@svc/core/audit";
import type { AuditFilter, AuditStore, Span } from "@svc/core/ports-apps";
import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { audit } from "./schema-service.ts";

/** What was done, newest first; entries are written by {@link auditEntry} in the change that they tell of. */
export function auditStore({ queries, read }: Database): AuditStore {
	return {
		async list(filter, span) {
			const rows = await read(() =>
				queries
					.select(fieldsFor(filter))
					.from(audit)
					.where(and(...matching(filter, span)))
					.orderBy(desc(audit.pk))
					.limit(span.limit),
			);
			return rows.map(toRecord);
		},
	};
}

/** Who the operators are, and what they tell each other, is their own affair. */
const BY_OPERATORS = sql`(${audit.event} GLOB 'moderation.*' OR ${audit.event} GLOB 'operator.*')`;

function fieldsFor({ unmasked = false }: AuditFilter) {
	const { actor, changes, ...fields } = getTableColumns(audit);
	return {
		...fields,
		actor: unmasked ? sql<string>`${actor}` : sql<string>`iif(${BY_OPERATORS}, 'operator', ${actor})`,
		changes: unmasked
			? sql<string | null>`${changes}`
			: sql<string | null>`iif(${BY_OPERATORS}, json_remove(${changes}, '$.note'), ${changes})`,
	};
}

function matching(filter: AuditFilter, { beforePk }: Span): readonly SQL[] {
	const { appPk, actor, event, sinceMs } = filter;
	const conditions: SQL[] = [];
	if (appPk !== undefined) conditions.push(eq(audit.appPk, appPk));
	if (actor !== undefined) conditions.push(eq(fieldsFor(filter).actor, actor));
	if (event !== undefined) conditions.push(eq(audit.event, event));
	if (sinceMs !== undefined) conditions.push(gte(audit.atMs, sinceMs));
	if (beforePk !== undefined) conditions.push(lt(audit.pk, beforePk));
	return conditions;
}

function toRecord({ appPk: _, changes, ...entry }: typeof audit.$inferSelect): AuditRecord {
	return { ...entry, changes: changes === null ? null : JSON.parse(changes) };
}
