import type { Span } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { connections } from "@svc/base/database/schema/connect";
import { audit } from "@svc/base/database/schema/service";
import { and, desc, getTableColumns, gte, lt, type SQL, sql } from "drizzle-orm";
import type { AuditRecord } from "./audit.ts";
import { toRecord } from "./audit-store.ts";

interface ActivityFilter {
	readonly id: string;
	readonly pk: number;
	readonly sinceMs: number | undefined;
}

/** What a person does to their own account; what they do in a team stands in the audit of its App. */
const OWN = ["account", "session", "token", "passkey", "user", "operator"];
/** What somebody else does to the account. */
const BY_OPERATORS = ["account.disabled", "account.enabled", "operator.created", "operator.removed"];

/** The part of the audit that is about one account. */
export function activityStore({ queries, read }: Database) {
	return {
		async list(filter: ActivityFilter, { limit, beforePk }: Span): Promise<readonly AuditRecord[]> {
			const { changes, actor, ...fields } = getTableColumns(audit);
			const theirs = actorsOf(filter);
			const rows = await read(() =>
				queries
					.select({
						...fields,
						actor: sql<string>`iif(${actor} IN ${theirs}, ${actor}, 'operator')`,
						changes: sql<string | null>`json_remove(${changes}, '$.note')`,
					})
					.from(audit)
					.where(
						and(
							isAbout(filter, theirs),
							beforePk === undefined ? undefined : lt(audit.pk, beforePk),
							filter.sinceMs === undefined ? undefined : gte(audit.atMs, filter.sinceMs),
						),
					)
					.orderBy(desc(audit.pk))
					.limit(limit),
			);
			return rows.map(toRecord);
		},
	};
}

/** The names under which a person acts: their account, and to each App they are another user. */
function actorsOf({ id, pk }: ActivityFilter): SQL {
	return sql`(SELECT ${id} UNION ALL SELECT ${connections.userId} FROM ${connections} WHERE ${connections.accountPk} = ${pk})`;
}

/** Each side has an index of its own: none of it reads the audit of others. */
function isAbout({ id }: ActivityFilter, theirs: SQL): SQL {
	const own = sql.join(
		OWN.map((noun) => sql`${audit.event} GLOB ${`${noun}.*`}`),
		sql` OR `,
	);
	const to = sql`(${audit.event} IN ${BY_OPERATORS} AND +${audit.target} = ${id})`;
	return sql`((${audit.actor} IN ${theirs} AND (${own}) AND (${audit.event} NOT IN ${BY_OPERATORS} OR ${audit.target} = ${id})) OR ${to})`;
}
