import { appEvent } from "@svc/apps/app-events-store";
import type { AppState } from "@svc/apps/apps";
import { betterPlan, betterTier } from "@svc/apps/profile/app-plan-store";
import { noticedOf } from "@svc/apps/team/members-store";
import { toAppRecord } from "@svc/apps/team/memberships-store";
import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, appUsage, members } from "@svc/base/database/schema/apps";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { condition, olderThan, updateStep } from "@svc/base/database/statements";
import type { BlockReason } from "@svc/base/enumerations";
import { mailEach } from "@svc/mail/mail-entries-store";
import { freshSteps } from "@svc/people/fresh-store";
import { and, desc, eq, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { AppChange, AppSearch, OperatedApp } from "./operator-apps.ts";

type AppQuery = Span & { readonly search: AppSearch | undefined; readonly state: AppState | undefined };

interface Block {
	readonly reason: BlockReason;
	readonly note: string | null;
}

export function operatorAppStore(database: Database) {
	return {
		/** Lists Apps except those that are being deleted. */
		list: listApps.bind(null, database),
		find: findApp.bind(null, database),
		/** False when the App does not exist any more. */
		change: changeApp.bind(null, database),
		/** Blocks the App and writes to its Owner and Admins in one commit; false when it is blocked already, or gone. */
		block: blockApp.bind(null, database),
		/** False when the App is not blocked, or gone. */
		unblock: unblockApp.bind(null, database),
	};
}

async function listApps(
	{ queries, read }: Database,
	{ search, state, limit, beforePk }: AppQuery,
): Promise<readonly OperatedApp[]> {
	const rows = await read(() =>
		selectApps(queries)
			.where(and(SHOWN, olderThan(apps.pk, beforePk), state && IN_STATE[state], search && matching(search)))
			.orderBy(desc(apps.pk))
			.limit(limit),
	);
	return rows.map(toOperated);
}

async function findApp({ queries, read }: Database, id: string): Promise<OperatedApp | undefined> {
	const [row] = await read(() => selectApps(queries).where(and(eq(apps.id, id), SHOWN)));
	return row && toOperated(row);
}

async function changeApp({ write }: Database, id: string, change: AppChange, by: Actor): Promise<boolean> {
	const { plan: granted, selling, imagesLimit, usersLimit, ...rest } = change;
	rest satisfies Record<string, never>;
	// What every App has is no grant.
	const grantedPlan = granted === "free" ? null : granted;
	const inForce = grantedPlan !== undefined && {
		grantedPlan,
		plan: betterPlan(grantedPlan, PAID_PLAN),
		tier: betterTier(grantedPlan, PAID_PLAN),
	};
	// Touches no row where nothing changes.
	const differs = or(
		...[differsFrom(apps.grantedPlan, grantedPlan), differsFrom(apps.selling, selling)],
		...[differsFrom(apps.imagesLimit, imagesLimit), differsFrom(apps.usersLimit, usersLimit)],
	);
	const entry = { appPk: appPkOf(id), event: "operator.app_changed", target: id };
	const { refused } = await write([
		condition(appPkOf(id), isNull(apps.deletingMs), "gone"),
		updateStep(apps, { ...inForce, selling, imagesLimit, usersLimit }, and(eq(apps.id, id), differs)),
		{ run: auditOnChange(by, { ...entry, changes: { ...change } }) },
	]);
	return refused === undefined;
}

/** The plan that an App pays for itself; null where it pays for none. */
const PAID_PLAN = sql`(SELECT ${subscriptions.grantedPlan} FROM ${subscriptions} WHERE ${subscriptions.appPk} = ${apps.pk}
	AND ${subscriptions.subject} = 'app' AND ${subscriptions.endedMs} IS NULL)`;

/** Undefined where the change has no such field. */
function differsFrom(of: SQLiteColumn, value: unknown): SQL | undefined {
	return value === undefined ? undefined : sql`${of} IS NOT ${sql.param(value, of)}`;
}

async function blockApp(
	{ write }: Database,
	id: string,
	{ reason, note }: Block,
	by: Actor,
): Promise<"unchanged" | "stale" | undefined> {
	const working = and(eq(apps.id, id), isNull(apps.blockedMs), SHOWN);
	const changes = { reason, ...(note !== null && { note }) };
	const { refused } = await write([
		updateStep(apps, { blockedMs: by.nowMs, blockReason: reason }, working, "unchanged"),
		...freshSteps(by),
		{
			run: mailEach(
				{ template: "app_blocked", facts: { app: nameOf(id), reason }, to: noticedOf(appPkOf(id)) },
				by.nowMs,
			),
		},
		{ run: auditBy(by, { appPk: appPkOf(id), event: "operator.app_blocked", target: id, changes }) },
		appEvent(by, "app.blocked", appPkOf(id)),
	]);
	return refused;
}

async function unblockApp({ write }: Database, id: string, note: string | null, by: Actor): Promise<boolean> {
	const blocked = and(eq(apps.id, id), isNotNull(apps.blockedMs), SHOWN);
	const entry = { appPk: appPkOf(id), event: "operator.app_unblocked", target: id };
	const { refused } = await write([
		updateStep(apps, { blockedMs: null, blockReason: null }, blocked, "unchanged"),
		{ run: mailEach({ template: "app_unblocked", facts: { app: nameOf(id) }, to: noticedOf(appPkOf(id)) }, by.nowMs) },
		{ run: auditBy(by, { ...entry, ...(note !== null && { changes: { note } }) }) },
		appEvent(by, "app.unblocked", appPkOf(id)),
	]);
	return refused === undefined;
}

const SHOWN = isNull(apps.deletingMs);

function selectApps(queries: Database["queries"]) {
	return queries
		.select({ app: apps, usage: appUsage, ownerId: accounts.id, ownerEmail: accounts.email })
		.from(apps)
		.leftJoin(appUsage, eq(appUsage.appPk, apps.pk))
		.leftJoin(members, and(eq(members.appPk, apps.pk), sql`${members.role} = 'owner'`))
		.leftJoin(accounts, eq(accounts.pk, members.accountPk));
}

function nameOf(id: string): SQL {
	return sql`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.id} = ${id})`;
}

function appPkOf(id: string): SQL {
	return sql`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${id})`;
}

const IN_STATE = {
	active: sql`${apps.blockedMs} IS NULL AND ${apps.pausedMs} IS NULL`,
	paused: sql`${apps.blockedMs} IS NULL AND ${apps.pausedMs} IS NOT NULL`,
	blocked: sql`${apps.blockedMs} IS NOT NULL`,
} as const satisfies Record<AppState, SQL>;

/** Typed text is no pattern: a percent sign in it matches a percent sign. */
function matching({ text, nameFold, emailNorm }: AppSearch): SQL {
	const startsWith = (column: SQL, prefix: string) => sql`substr(${column}, 1, length(${prefix})) = ${prefix}`;
	return sql`(${apps.id} = ${text} OR ${startsWith(sql`${apps.nameFold}`, nameFold)}
		OR ${startsWith(sql`lower(${apps.name})`, text.toLowerCase())} OR ${startsWith(sql`${accounts.emailNorm}`, emailNorm)})`;
}

type Row = Awaited<ReturnType<typeof selectApps>>[number];

function toOperated({ app, usage, ownerId, ownerEmail }: Row): OperatedApp {
	return {
		...toAppRecord(app),
		owner: ownerId === null || ownerEmail === null ? null : { id: ownerId, email: ownerEmail },
		images: usage?.images ?? 0,
		bytes: usage?.bytes ?? 0,
		users: usage?.users ?? 0,
	};
}
