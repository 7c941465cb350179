import type { AppState } from "@svc/apps/apps";
import { toAppRecord } from "@svc/apps/memberships-store";
import type { By } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, members } from "@svc/base/database/schema/apps";
import type { BlockReason } from "@svc/base/enumerations";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-store";
import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { AppChange, AppSearch, OperatedApp } from "./operator-apps.ts";

export interface OperatorAppStore {
	/** Not those that are being deleted. */
	list(
		query: Span & { readonly search: AppSearch | undefined; readonly state: AppState | undefined },
	): Promise<readonly OperatedApp[]>;
	find(id: string): Promise<OperatedApp | undefined>;
	/** The addresses of those who run an App: its Owner and Admins. */
	listAdminEmails(appPk: number): Promise<readonly string[]>;
	/** False when the App is gone. */
	change(id: string, change: AppChange, by: By): Promise<boolean>;
	/** With the mails, in one commit; false when it is blocked already, or gone. */
	block(
		id: string,
		block: { readonly reason: BlockReason; readonly note: string | null },
		mails: readonly NewMail[],
		by: By,
	): Promise<boolean>;
	/** False when it is not blocked, or gone. */
	unblock(id: string, note: string | null, by: By): Promise<boolean>;
}

export function operatorAppStore(database: Database): OperatorAppStore {
	const { queries, read, write } = database;
	const select = () =>
		queries
			.select({ app: apps, usage: appUsage, ownerId: accounts.id, ownerEmail: accounts.email })
			.from(apps)
			.leftJoin(appUsage, eq(appUsage.appPk, apps.pk))
			.leftJoin(members, and(eq(members.appPk, apps.pk), sql`${members.role} = 'owner'`))
			.leftJoin(accounts, eq(accounts.pk, members.accountPk));
	const shown = isNull(apps.deletingMs);

	return {
		async list({ search, state, limit, beforePk }) {
			const before = beforePk === undefined ? undefined : sql`${apps.pk} < ${beforePk}`;
			const rows = await read(() =>
				select()
					.where(and(shown, before, state && IN_STATE[state], search && matching(search)))
					.orderBy(desc(apps.pk))
					.limit(limit),
			);
			return rows.map(toOperated);
		},
		async find(id) {
			const [row] = await read(() => select().where(and(eq(apps.id, id), shown)));
			return row && toOperated(row);
		},
		async listAdminEmails(appPk) {
			const rows = await read(() =>
				queries
					.select({ email: accounts.email })
					.from(members)
					.innerJoin(accounts, eq(accounts.pk, members.accountPk))
					.where(
						sql`${members.appPk} = ${appPk} AND ${members.role} IN ('owner', 'admin') AND ${accounts.status} = 'active'`,
					),
			);
			return rows.map(({ email }) => email);
		},
		async change(id, change, by) {
			const { refused } = await write([
				{ run: sql`UPDATE apps SET name = name WHERE id = ${id} AND deleting_ms IS NULL`, guard: "gone" },
				{ run: changeSql(id, change) },
				{
					run: auditOnChange(by, {
						appPk: appPkOf(id),
						event: "operator.app_changed",
						target: id,
						changes: { ...change },
					}),
				},
			]);
			return refused === undefined;
		},
		async block(id, { reason, note }, mails, by) {
			const { refused } = await write([
				{
					run: sql`UPDATE apps SET blocked_ms = ${by.nowMs}, block_reason = ${reason}
						WHERE id = ${id} AND blocked_ms IS NULL AND deleting_ms IS NULL`,
					guard: "unchanged",
				},
				...mails.map((mail) => ({ run: mailEntry(mail, by.nowMs) })),
				{
					run: auditBy(by, {
						appPk: appPkOf(id),
						event: "operator.app_blocked",
						target: id,
						changes: { reason, ...(note !== null && { note }) },
					}),
				},
			]);
			return refused === undefined;
		},
		async unblock(id, note, by) {
			const { refused } = await write([
				{
					run: sql`UPDATE apps SET blocked_ms = NULL, block_reason = NULL
						WHERE id = ${id} AND blocked_ms IS NOT NULL AND deleting_ms IS NULL`,
					guard: "unchanged",
				},
				{
					run: auditBy(by, {
						appPk: appPkOf(id),
						event: "operator.app_unblocked",
						target: id,
						...(note !== null && { changes: { note } }),
					}),
				},
			]);
			return refused === undefined;
		},
	};
}

function appPkOf(id: string): SQL {
	return sql`(SELECT pk FROM apps WHERE id = ${id})`;
}

const IN_STATE = {
	active: sql`${apps.blockedMs} IS NULL AND ${apps.pausedMs} IS NULL`,
	paused: sql`${apps.blockedMs} IS NULL AND ${apps.pausedMs} IS NOT NULL`,
	blocked: sql`${apps.blockedMs} IS NOT NULL`,
} as const satisfies Record<AppState, SQL>;

/** What is typed is no pattern: a percent sign in it is a percent sign. */
function matching({ text, nameFold, emailNorm }: AppSearch): SQL {
	const startsWith = (column: SQL, prefix: string) => sql`substr(${column}, 1, length(${prefix})) = ${prefix}`;
	return sql`(${apps.id} = ${text} OR ${startsWith(sql`${apps.nameFold}`, nameFold)}
		OR ${startsWith(sql`lower(${apps.name})`, text.toLowerCase())} OR ${startsWith(sql`${accounts.emailNorm}`, emailNorm)})`;
}

/** Touches no row where all is as it shall be. */
function changeSql(id: string, { plan, selling, imagesLimit, usersLimit, ...rest }: AppChange): SQL {
	rest satisfies Record<string, never>;
	const columns = { plan, selling: selling === undefined ? undefined : Number(selling), images_limit: imagesLimit };
	const sent = Object.entries({ ...columns, users_limit: usersLimit }).filter(([, value]) => value !== undefined);
	const assigned = sent.map(([name, value]) => sql`${sql.identifier(name)} = ${value}`);
	const differing = sent.map(([name, value]) => sql`${sql.identifier(name)} IS NOT ${value}`);
	return sql`UPDATE apps SET ${sql.join(assigned, sql`, `)} WHERE id = ${id} AND (${sql.join(differing, sql` OR `)})`;
}

interface Row {
	readonly app: typeof apps.$inferSelect;
	readonly usage: typeof appUsage.$inferSelect | null;
	readonly ownerId: string | null;
	readonly ownerEmail: string | null;
}

function toOperated({ app, usage, ownerId, ownerEmail }: Row): OperatedApp {
	return {
		...toAppRecord(app),
		owner: ownerId === null || ownerEmail === null ? null : { id: ownerId, email: ownerEmail },
		images: usage?.images ?? 0,
		bytes: usage?.bytes ?? 0,
		users: usage?.users ?? 0,
	};
}
