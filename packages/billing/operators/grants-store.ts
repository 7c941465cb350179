import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { planGrants, plans } from "@svc/base/database/schema/billing/plans";
import { connections } from "@svc/base/database/schema/connect";
import { condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { freshSteps } from "@svc/people/fresh-store";
import { and, desc, eq, exists, gt, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { PlanGrant } from "../plans/plan.ts";
import type { PublishedStatuses } from "../subscriptions/published-statuses-store.ts";

interface NewGrant {
	readonly id: string;
	readonly appPk: number;
	readonly connectionPk: number;
	readonly plan: { readonly pk: number; readonly key: string };
	readonly userId: string;
	readonly untilMs: number;
	readonly reason: string;
}

/** Its Owner must still own the App; an operator's session must be fresh. */
export interface Granter {
	readonly authority: Authority | null;
	readonly by: Actor;
}

type GrantRefusal = "demoted" | "plan_gone" | "user_gone" | "stale";

export function grantStore(database: Database, published: PublishedStatuses) {
	return {
		/** What this seller gives with a connection at present. */
		async find(connectionPk: number, sellerPk: number, nowMs: number): Promise<PlanGrant | undefined> {
			const its = and(eq(planGrants.connectionPk, connectionPk), eq(planGrants.appPk, sellerPk));
			return (await select(database, and(its, inForce(database, nowMs)), 1))[0];
		},
		/** What these users of an App are given, by user id. */
		async listOfUsers(
			appPk: number,
			userIds: readonly string[],
			nowMs: number,
		): Promise<ReadonlyMap<string, PlanGrant>> {
			if (userIds.length === 0) return new Map();
			const named = and(eq(connections.appPk, appPk), inArray(connections.userId, [...userIds]));
			const found = await select(
				database,
				and(eq(planGrants.appPk, appPk), named, inForce(database, nowMs)),
				userIds.length,
			);
			return new Map(found.map((grant) => [grant.userId, grant]));
		},
		/** What a person is given in all Apps. */
		listOfAccount: (accountPk: number, nowMs: number) =>
			select(database, and(eq(connections.accountPk, accountPk), inForce(database, nowMs)), OWN_MAX),
		/** Lists those that are over, or whose user or App is gone. */
		listOver: (nowMs: number, limit: number) =>
			select(
				database,
				and(
					isNull(planGrants.endedMs),
					or(lte(planGrants.untilMs, nowMs), ne(connections.state, "connected"), isNotNull(apps.deletingMs)),
				),
				limit,
			),
		/** In the place of what was given before. Refused when the plan was archived, or the user left, in between. */
		give: give.bind(undefined, database, published),
		/** Ends it once; `over` where that has happened already. */
		end: end.bind(undefined, database, published),
	};
}

/** More than that nobody is given at once. */
const OWN_MAX = 1_000;

function select({ queries, read }: Database, where: SQL | undefined, limit: number): Promise<readonly PlanGrant[]> {
	const { pk, id, appPk, connectionPk, untilMs, reason, grantedBy, endedMs, createdMs } = planGrants;
	return read(() =>
		queries
			.select({
				...{ pk, id, appPk, connectionPk, untilMs, reason, grantedBy, endedMs, createdMs },
				userId: connections.userId,
				connected: sql<boolean>`${connections.state} = 'connected' AND ${apps.deletingMs} IS NULL`.mapWith(Boolean),
				email: accounts.email,
				app: { id: apps.id, name: apps.name },
				plan: { key: plans.key, name: plans.name },
			})
			.from(planGrants)
			.innerJoin(plans, eq(plans.pk, planGrants.planPk))
			.innerJoin(apps, eq(apps.pk, planGrants.appPk))
			.innerJoin(connections, eq(connections.pk, planGrants.connectionPk))
			.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
			.where(where)
			.orderBy(desc(planGrants.pk))
			.limit(limit),
	);
}

/** In force: a connection that began anew has another storage, and nothing of what was given before. */
function inForce({ queries }: Database, nowMs: number): SQL | undefined {
	const present = queries
		.select({ pk: storages.pk })
		.from(storages)
		.where(and(eq(storages.pk, connections.storagePk), lte(storages.createdMs, planGrants.createdMs)));
	const holds = and(eq(connections.state, "connected"), isNull(apps.deletingMs), exists(present));
	return and(isNull(planGrants.endedMs), gt(planGrants.untilMs, nowMs), holds);
}

async function give(
	{ queries, write }: Database,
	published: PublishedStatuses,
	grant: NewGrant,
	mail: NewMail,
	{ authority, by }: Granter,
): Promise<GrantRefusal | undefined> {
	const { id, appPk, connectionPk, plan, userId, untilMs, reason } = grant;
	const sold = queries
		.select({ pk: plans.pk })
		.from(plans)
		.where(and(eq(plans.pk, plan.pk), isNull(plans.archivedMs)));
	const connected = queries
		.select({ pk: connections.pk })
		.from(connections)
		.where(and(eq(connections.pk, connectionPk), eq(connections.state, "connected")));
	const unended = and(eq(planGrants.connectionPk, connectionPk), isNull(planGrants.endedMs));
	const row = {
		id,
		appPk,
		connectionPk,
		planPk: plan.pk,
		untilMs,
		reason,
		grantedBy: by.actor,
		createdMs: by.nowMs,
	};
	const changes = { user: userId, plan: plan.key, untilMs, reason };
	const steps = [
		...(authority ? [authorityStep(authority)] : []),
		condition(appPk, exists(sold), "plan_gone"),
		condition(appPk, exists(connected), "user_gone"),
		...(authority ? [] : freshSteps(by)),
		{ run: queries.update(planGrants).set({ endedMs: by.nowMs }).where(unended) },
		{ run: queries.insert(planGrants).values(row) },
		{ run: auditBy(by, { appPk, event: "plan.granted", target: id, changes }) },
		{ run: mailEntry(mail, by.nowMs) },
	] satisfies readonly Step<GrantRefusal>[];
	const { refused } = await write(await published.around<GrantRefusal>(connectionPk, by, steps));
	return refused;
}

async function end(
	{ queries, write }: Database,
	published: PublishedStatuses,
	{ pk, id, appPk, connectionPk, userId }: PlanGrant,
	mail: NewMail | undefined,
	{ authority, by }: Granter,
): Promise<GrantRefusal | "over" | undefined> {
	const its = and(eq(planGrants.pk, pk), isNull(planGrants.endedMs));
	const steps = [
		...(authority ? [authorityStep(authority)] : []),
		{ run: queries.update(planGrants).set({ endedMs: by.nowMs }).where(its), guard: "over" },
		...(authority ? [] : freshSteps(by)),
		{ run: auditBy(by, { appPk, event: "plan.ungranted", target: id, changes: { user: userId } }) },
		...(mail ? [{ run: mailEntry(mail, by.nowMs) }] : []),
	] satisfies readonly Step<GrantRefusal | "over">[];
	const { refused } = await write(await published.around<GrantRefusal | "over">(connectionPk, by, steps));
	return refused;
}
