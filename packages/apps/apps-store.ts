import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { apps, appUsage, members, storages } from "@svc/base/database/schema/apps";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { AppChanges, NewApp } from "./apps.ts";
import type { Authority } from "./authority.ts";
import { authorityStep, condition, isActive } from "./authority-store.ts";
import { revokeSteps } from "./key-steps-store.ts";
import type { Member } from "./members.ts";
import { selectMemberships, toAppRecord } from "./memberships-store.ts";
import type { Membership } from "./team.ts";

export interface AppStore {
	/**
	 * With its Owner, its storage and its counters; `full` when the account owns `max` Apps already, `gone` when it is disabled or being
	 * deleted by now.
	 */
	create(app: NewApp, ownerPk: number, max: number, by: Actor): Promise<"full" | "gone" | undefined>;
	/** The Apps that an account is a member of; `appPk` limits them to one. */
	list(accountPk: number, appPk: number | null, span: Span): Promise<readonly (Membership & { readonly pk: number })[]>;
	/** What is already so is neither changed nor told of. */
	change(authority: Authority, appId: string, changes: AppChanges): Promise<"demoted" | undefined>;
	pause(authority: Authority, appId: string): Promise<"demoted" | undefined>;
	resume(authority: Authority, appId: string): Promise<"demoted" | undefined>;
	/**
	 * The Owner becomes Admin, the other member Owner; `full` when they own `max` Apps already, `gone` when they are no member by now, or
	 * their account is disabled or being deleted.
	 */
	transfer(
		authority: Authority,
		appId: string,
		to: Pick<Member, "pk" | "accountId">,
		max: number,
	): Promise<"demoted" | "gone" | "full" | undefined>;
	/**
	 * Marks the App and its storages, revokes all its keys and starts the job; `renamed` when it is not called `name` any more,
	 * `subscribed` when somebody subscribes to a plan of it, unless that is to end as well.
	 */
	delete(
		authority: Authority,
		app: { readonly id: string; readonly name: string; readonly endSubscriptions: boolean },
		job: NewJob,
	): Promise<"demoted" | "renamed" | "subscribed" | undefined>;
}

export function appStore(database: Database): AppStore {
	const { queries, read, write } = database;
	return {
		async create(app, ownerPk, max, by) {
			const { refused } = await write([
				...newAppSteps(queries, app, ownerPk, by),
				// The new one is among those that are counted.
				condition(pkOf(app.id), ownsAtMost(ownerPk, max), "full"),
				condition(pkOf(app.id), isActive(ownerPk), "gone"),
			]);
			return refused;
		},
		async list(accountPk, appPk, { limit, beforePk }) {
			const rows = await read(() =>
				selectMemberships({ queries })
					.where(
						and(
							eq(members.accountPk, accountPk),
							isNull(apps.deletingMs),
							appPk === null ? undefined : eq(apps.pk, appPk),
							beforePk === undefined ? undefined : lt(apps.pk, beforePk),
						),
					)
					.orderBy(desc(apps.pk))
					.limit(limit),
			);
			return rows.map((row) => ({ ...row, pk: row.app.pk, app: toAppRecord(row.app) }));
		},
		async change(authority, appId, changes) {
			return (await write([authorityStep(authority), ...changeSteps(authority, appId, changes)])).refused;
		},
		async pause(authority, appId) {
			const { appPk, by } = authority;
			const pause = sql`UPDATE apps SET paused_ms = ${by.nowMs}, paused_by = 'owner' WHERE pk = ${appPk} AND paused_ms IS NULL`;
			return (
				await write([authorityStep(authority), ...told(by, pause, { appPk, event: "app.paused", target: appId })])
			).refused;
		},
		async resume(authority, appId) {
			const { appPk, by } = authority;
			const resume = sql`UPDATE apps SET paused_ms = NULL, paused_by = NULL WHERE pk = ${appPk} AND paused_ms IS NOT NULL`;
			return (
				await write([authorityStep(authority), ...told(by, resume, { appPk, event: "app.resumed", target: appId })])
			).refused;
		},
		async transfer(authority, appId, to, max) {
			const { appPk, accountPk, by } = authority;
			const role = (pk: number, before: SQL, after: string) =>
				sql`UPDATE members SET role = ${after} WHERE app_pk = ${appPk} AND account_pk = ${pk} AND role ${before}`;
			const { refused } = await write([
				authorityStep(authority),
				// In this order: there is never more than one Owner.
				{ run: role(accountPk, sql`= 'owner'`, "admin"), guard: "demoted" },
				{ run: role(to.pk, sql`<> 'owner' AND ${isActive(to.pk)}`, "owner"), guard: "gone" },
				condition(appPk, ownsAtMost(to.pk, max), "full"),
				{ run: auditBy(by, { appPk, event: "app.transferred", target: appId, changes: { owner: to.accountId } }) },
			]);
			return refused;
		},
		async delete(authority, app, job) {
			return (await write(deleteSteps(authority, app, job))).refused;
		},
	};
}

const pkOf = (appId: string): SQL<number> => sql<number>`(SELECT pk FROM apps WHERE id = ${appId})`;

function ownsAtMost(accountPk: number, max: number): SQL {
	return sql`(SELECT count(*) FROM members JOIN apps AS owned ON owned.pk = members.app_pk
		WHERE members.account_pk = ${accountPk} AND members.role = 'owner' AND owned.deleting_ms IS NULL) <= ${max}`;
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

/** A change that is told of where it changes anything. */
function told(by: Actor, run: SQL, entry: Parameters<typeof auditOnChange>[1]): readonly Step[] {
	return [{ run }, { run: auditOnChange(by, entry) }];
}

function changeSteps({ appPk, by }: Authority, appId: string, { name, signIn, ...rest }: AppChanges): readonly Step[] {
	rest satisfies Record<string, never>;
	const steps: Step[] = [];
	if (name !== undefined) {
		const { shown, folded } = name;
		const rename = sql`UPDATE apps SET name = ${shown}, name_fold = ${folded} WHERE pk = ${appPk} AND name <> ${shown}`;
		steps.push(...told(by, rename, { appPk, event: "app.renamed", target: appId, changes: { name: shown } }));
	}
	if (signIn !== undefined) {
		const value = signIn ? 1 : 0;
		const turn = sql`UPDATE apps SET sign_in = ${value} WHERE pk = ${appPk} AND sign_in <> ${value}`;
		const event = signIn ? "app.sign_in_enabled" : "app.sign_in_disabled";
		steps.push(...told(by, turn, { appPk, event, target: appId }));
	}
	return steps;
}

function deleteSteps(
	authority: Authority,
	{ id: appId, name, endSubscriptions }: Parameters<AppStore["delete"]>[1],
	job: NewJob,
): readonly Step<"demoted" | "renamed" | "subscribed">[] {
	const { appPk, by } = authority;
	// Of its own plans, and of tiers that its users have from the service.
	const subscribers = sql`SELECT 1 FROM subscriptions WHERE subject = 'user' AND ended_ms IS NULL
		AND (app_pk = ${appPk} OR connection_pk IN (SELECT pk FROM connections WHERE app_pk = ${appPk}))`;
	const unsubscribed = endSubscriptions ? sql`` : sql` AND NOT EXISTS (${subscribers})`;
	return [
		authorityStep(authority),
		{ run: sql`UPDATE apps SET name = name WHERE pk = ${appPk}${unsubscribed}`, guard: "subscribed" },
		{
			run: sql`UPDATE apps SET deleting_ms = ${by.nowMs} WHERE pk = ${appPk} AND deleting_ms IS NULL AND name = ${name}`,
			guard: "renamed",
		},
		{ run: sql`UPDATE storages SET state = 'deleting' WHERE app_pk = ${appPk}` },
		...revokeSteps(sql`app_pk = ${appPk}`, "app_deleted", by),
		{ run: jobEntry(job, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "app.deletion_started", target: appId, changes: { job: job.id } }) },
	];
}
