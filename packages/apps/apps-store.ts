import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { condition } from "@svc/base/database/condition";
import { apps, appUsage, members, storages } from "@svc/base/database/schema/apps";
import { subscriptions } from "@svc/base/database/schema/billing";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { statements } from "@svc/base/database/statements";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { and, desc, eq, isNotNull, isNull, lt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AppChanges, NewApp } from "./apps.ts";
import type { Authority } from "./authority.ts";
import { authorityStep, isActive } from "./authority-store.ts";
import { revokeSteps } from "./key-steps-store.ts";
import type { Member } from "./members.ts";
import { selectMemberships, toAppRecord } from "./memberships-store.ts";
import type { Membership } from "./team.ts";

export type AppStore = ReturnType<typeof appStore>;

export function appStore(database: Database) {
	return {
		/**
		 * With its Owner, its storage and its counters; `full` when the account owns `max` Apps already, `gone` when it is disabled or being
		 * deleted by now.
		 */
		create: createApp.bind(null, database),
		/** The Apps that an account is a member of; `appPk` limits them to one. */
		list: listApps.bind(null, database),
		/** What is already so is neither changed nor told of. */
		change: changeApp.bind(null, database),
		pause: pauseApp.bind(null, database),
		resume: resumeApp.bind(null, database),
		/**
		 * The Owner becomes Admin, the other member Owner; `full` when they own `max` Apps already, `gone` when they are no member by now, or
		 * their account is disabled or being deleted.
		 */
		transfer: transferApp.bind(null, database),
		/**
		 * Marks the App and its storages, revokes all its keys and starts the job; `renamed` when it is not called `name` any more,
		 * `subscribed` when somebody subscribes to a plan of it, unless that is to end as well.
		 */
		delete: deleteApp.bind(null, database),
	};
}

/** An App with its Owner, its storage and its counters. */
export function newAppSteps(
	queries: Database["queries"],
	app: NewApp,
	ownerPk: number | SQL<number>,
	by: Actor,
): readonly Step[] {
	const { id, name, nameFold, storageId, teamHash } = app;
	const appPk = pkOf(id);
	const createdMs = by.nowMs;
	return [
		{ run: queries.insert(apps).values({ id, name, nameFold, createdMs }) },
		{ run: queries.insert(appUsage).values({ appPk }) },
		{ run: queries.insert(members).values({ appPk, accountPk: ownerPk, role: "owner", createdMs }) },
		{
			run: queries.insert(storages).values({ id: storageId, appPk, kind: "app", teamHash, state: "active", createdMs }),
		},
		{ run: auditBy(by, { appPk, event: "app.created", target: id, changes: { name } }) },
	];
}

async function createApp(
	{ queries, write }: Database,
	app: NewApp,
	ownerPk: number,
	max: number,
	by: Actor,
): Promise<"full" | "gone" | undefined> {
	const { refused } = await write([
		...newAppSteps(queries, app, ownerPk, by),
		// The new one is among those that are counted.
		condition(pkOf(app.id), ownsAtMost(ownerPk, max), "full"),
		condition(pkOf(app.id), isActive(ownerPk), "gone"),
	]);
	return refused;
}

async function listApps(
	database: Database,
	accountPk: number,
	appPk: number | null,
	{ limit, beforePk }: Span,
): Promise<readonly (Membership & { readonly pk: number })[]> {
	const one = appPk === null ? undefined : eq(apps.pk, appPk);
	const before = beforePk === undefined ? undefined : lt(apps.pk, beforePk);
	const rows = await database.read(() =>
		selectMemberships(database)
			.where(and(eq(members.accountPk, accountPk), isNull(apps.deletingMs), one, before))
			.orderBy(desc(apps.pk))
			.limit(limit),
	);
	return rows.map((row) => ({ ...row, pk: row.app.pk, app: toAppRecord(row.app) }));
}

async function changeApp(
	{ write }: Database,
	authority: Authority,
	appId: string,
	changes: AppChanges,
): Promise<"demoted" | undefined> {
	return (await write([authorityStep(authority), ...changeSteps(authority, appId, changes)])).refused;
}

async function pauseApp({ write }: Database, authority: Authority, appId: string): Promise<"demoted" | undefined> {
	const { appPk, by } = authority;
	const pause = statements
		.update(apps)
		.set({ pausedMs: by.nowMs, pausedBy: "owner" })
		.where(and(eq(apps.pk, appPk), isNull(apps.pausedMs)));
	const steps = told(by, pause, { appPk, event: "app.paused", target: appId });
	return (await write([authorityStep(authority), ...steps])).refused;
}

async function resumeApp({ write }: Database, authority: Authority, appId: string): Promise<"demoted" | undefined> {
	const { appPk, by } = authority;
	const resume = statements
		.update(apps)
		.set({ pausedMs: null, pausedBy: null })
		.where(and(eq(apps.pk, appPk), isNotNull(apps.pausedMs)));
	const steps = told(by, resume, { appPk, event: "app.resumed", target: appId });
	return (await write([authorityStep(authority), ...steps])).refused;
}

async function transferApp(
	{ write }: Database,
	authority: Authority,
	appId: string,
	to: Pick<Member, "pk" | "accountId">,
	max: number,
): Promise<"demoted" | "gone" | "full" | undefined> {
	const { appPk, accountPk, by } = authority;
	const owner = and(eq(members.appPk, appPk), eq(members.accountPk, accountPk), eq(members.role, "owner"));
	const other = and(eq(members.appPk, appPk), eq(members.accountPk, to.pk), ne(members.role, "owner"));
	const { refused } = await write([
		authorityStep(authority),
		// In this order: there is never more than one Owner.
		{ run: statements.update(members).set({ role: "admin" }).where(owner), guard: "demoted" },
		{
			run: statements
				.update(members)
				.set({ role: "owner" })
				.where(and(other, isActive(to.pk))),
			guard: "gone",
		},
		condition(appPk, ownsAtMost(to.pk, max), "full"),
		{ run: auditBy(by, { appPk, event: "app.transferred", target: appId, changes: { owner: to.accountId } }) },
	]);
	return refused;
}

interface DeletedApp {
	readonly id: string;
	readonly name: string;
	readonly endSubscriptions: boolean;
}

async function deleteApp(
	{ write }: Database,
	authority: Authority,
	{ id: appId, name, endSubscriptions }: DeletedApp,
	job: NewJob,
): Promise<"demoted" | "renamed" | "subscribed" | undefined> {
	const { appPk, by } = authority;
	const kept = and(eq(apps.pk, appPk), isNull(apps.deletingMs), eq(apps.name, name));
	const { refused } = await write([
		authorityStep(authority),
		...(endSubscriptions ? [] : [condition(appPk, sql`NOT EXISTS (${subscribersOf(appPk)})`, "subscribed")]),
		{ run: statements.update(apps).set({ deletingMs: by.nowMs }).where(kept), guard: "renamed" },
		{ run: statements.update(storages).set({ state: "deleting" }).where(eq(storages.appPk, appPk)) },
		...revokeSteps(eq(keys.appPk, appPk), "app_deleted", by),
		{ run: jobEntry(job, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "app.deletion_started", target: appId, changes: { job: job.id } }) },
	]);
	return refused;
}

/** Of its own plans, and of tiers that its users have from the service. */
function subscribersOf(appPk: number): SQL {
	const ofUsers = sql`SELECT ${connections.pk} FROM ${connections} WHERE ${connections.appPk} = ${appPk}`;
	return sql`SELECT 1 FROM ${subscriptions} WHERE ${subscriptions.subject} = 'user' AND ${subscriptions.endedMs} IS NULL
		AND (${subscriptions.appPk} = ${appPk} OR ${subscriptions.connectionPk} IN (${ofUsers}))`;
}

function pkOf(appId: string): SQL<number> {
	return sql<number>`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${appId})`;
}

function ownsAtMost(accountPk: number, max: number): SQL {
	const owned = sql`SELECT count(*) FROM ${members} JOIN ${apps} ON ${apps.pk} = ${members.appPk}
		WHERE ${members.accountPk} = ${accountPk} AND ${members.role} = 'owner' AND ${apps.deletingMs} IS NULL`;
	return sql`(${owned}) <= ${max}`;
}

/** A change that is told of where it changes anything. */
function told(by: Actor, run: SQLWrapper, entry: Parameters<typeof auditOnChange>[1]): readonly Step[] {
	return [{ run }, { run: auditOnChange(by, entry) }];
}

function changeSteps({ appPk, by }: Authority, appId: string, { name, signIn, ...rest }: AppChanges): readonly Step[] {
	rest satisfies Record<string, never>;
	const steps: Step[] = [];
	if (name !== undefined) {
		const { shown, folded } = name;
		const rename = statements.update(apps).set({ name: shown, nameFold: folded });
		const entry = { appPk, event: "app.renamed", target: appId, changes: { name: shown } };
		steps.push(...told(by, rename.where(and(eq(apps.pk, appPk), ne(apps.name, shown))), entry));
	}
	if (signIn !== undefined) {
		const turn = statements.update(apps).set({ signIn });
		const entry = { appPk, event: signIn ? "app.sign_in_enabled" : "app.sign_in_disabled", target: appId };
		steps.push(...told(by, turn.where(and(eq(apps.pk, appPk), ne(apps.signIn, signIn))), entry));
	}
	return steps;
}
