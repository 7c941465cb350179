import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, appUsage, members, storages } from "@svc/base/database/schema/apps";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { images } from "@svc/base/database/schema/images";
import { keys } from "@svc/base/database/schema/keys";
import { condition, olderThan, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { freshSteps } from "@svc/people/fresh-store";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { letterSteps } from "@svc/people/letters/security-letters-store";
import { and, desc, eq, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { App } from "./access.ts";
import { appEvent } from "./app-events-store.ts";
import type { AppChanges, CountedApp, LimitChanges, NewApp } from "./app-record.ts";
import type { Authority } from "./authority.ts";
import { authorityStep, isActive } from "./authority-store.ts";
import { endHostSteps, wantHostSteps } from "./image-host/image-hosts-store.ts";
import { revokeSteps } from "./key-steps-store.ts";
import type { ProfileChanges } from "./profile/app-profile.ts";
import type { Member } from "./team/members.ts";
import { storageFields, toAppRecord } from "./team/memberships-store.ts";
import { followUserLimits } from "./user-limits-store.ts";

export function appStore(database: Database) {
	return {
		/**
		 * With its Owner, storage and counters; `full` when the account owns `max` Apps already, `gone` when it is disabled or being
		 * deleted by now.
		 */
		create: createApp.bind(null, database),
		/** The Apps that an account is a member of; `appPk` limits them to one. */
		list: listApps.bind(null, database),
		/** A value that is set already is neither changed nor audited. */
		change: changeApp.bind(null, database),
		pause: pauseApp.bind(null, database),
		resume: resumeApp.bind(null, database),
		/**
		 * The Owner becomes Admin, the other member Owner; `full` when they own `max` Apps already, `gone` when they are no member by now, or
		 * their account is disabled or being deleted.
		 */
		transfer: transferApp.bind(null, database),
		/**
		 * Marks the App and its storages, revokes all its keys and starts the job; `renamed` when its name is not `name` any more,
		 * `subscribed` when a user subscribes to a plan of it, `paying_others` when one pays the service for a storage in it, unless
		 * subscriptions are to end as well.
		 */
		delete: deleteApp.bind(null, database),
	};
}

/** Merged within the statement: two people who change different fields at once change both. */
function profileSteps(appPk: number, appId: string, profile: ProfileChanges, by: Actor): Step<"logo">[] {
	const { logo_image_id: logo } = profile;
	const own = sql`EXISTS (SELECT 1 FROM ${images} JOIN ${storages} ON ${storages.pk} = ${images.storagePk}
		WHERE ${images.id} = ${logo} AND ${storages.appPk} = ${appPk} AND ${storages.kind} = 'app')`;
	const changed = sql`json_patch(coalesce(${apps.profile}, '{}'), ${JSON.stringify(profile)})`;
	const differs = sql`${apps.pk} = ${appPk} AND ${changed} <> coalesce(${apps.profile}, '{}')`;
	const entry = { appPk, event: "app.profile_changed", target: appId, changes: { profile } };
	return [
		...(typeof logo === "string" ? [condition(appPk, own, "logo")] : []),
		updateStep(apps, { profile: changed }, differs),
		{ run: auditOnChange(by, entry) },
	];
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
	const storage = { id: storageId, appPk, kind: "app", teamHash, state: "active", createdMs } as const;
	return [
		{ run: queries.insert(apps).values({ id, name, nameFold, createdMs }) },
		{ run: queries.insert(appUsage).values({ appPk }) },
		{ run: queries.insert(members).values({ appPk, accountPk: ownerPk, role: "owner", createdMs }) },
		{ run: queries.insert(storages).values(storage) },
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
		// The count includes the new App.
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
): Promise<readonly CountedApp[]> {
	const one = appPk === null ? undefined : eq(apps.pk, appPk);
	const { images: ofAll, bytes, users } = appUsage;
	const rows = await database.read(() =>
		database.queries
			.select({ app: apps, role: members.role, storage: storageFields, usage: { images: ofAll, bytes, users } })
			.from(members)
			.innerJoin(apps, eq(apps.pk, members.appPk))
			.innerJoin(storages, and(eq(storages.appPk, apps.pk), eq(storages.kind, "app")))
			.innerJoin(appUsage, eq(appUsage.appPk, apps.pk))
			.where(and(eq(members.accountPk, accountPk), isNull(apps.deletingMs), one, olderThan(apps.pk, beforePk)))
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
): Promise<"demoted" | "logo" | undefined> {
	return (await write([authorityStep(authority), ...changeSteps(authority, appId, changes)])).refused;
}

async function pauseApp({ write }: Database, authority: Authority, appId: string): Promise<"demoted" | undefined> {
	const { appPk, by } = authority;
	const working = and(eq(apps.pk, appPk), isNull(apps.pausedMs));
	const pause = updateStep(apps, { pausedMs: by.nowMs, pausedBy: "owner" }, working);
	const tell = { run: auditOnChange(by, { appPk, event: "app.paused", target: appId }) };
	return (await write([authorityStep(authority), pause, tell, appEvent(by, "app.paused", appPk)])).refused;
}

async function resumeApp({ write }: Database, authority: Authority, appId: string): Promise<"demoted" | undefined> {
	const { appPk, by } = authority;
	const paused = and(eq(apps.pk, appPk), isNotNull(apps.pausedMs));
	const resume = updateStep(apps, { pausedMs: null, pausedBy: null }, paused);
	const tell = { run: auditOnChange(by, { appPk, event: "app.resumed", target: appId }) };
	return (await write([authorityStep(authority), resume, tell, appEvent(by, "app.resumed", appPk)])).refused;
}

async function transferApp(
	{ write }: Database,
	authority: Authority,
	appId: string,
	to: Pick<Member, "pk" | "accountId">,
	max: number,
	letters: readonly NewLetter[],
): Promise<"demoted" | "gone" | "full" | "stale" | undefined> {
	const { appPk, accountPk, by } = authority;
	const owner = and(eq(members.appPk, appPk), eq(members.accountPk, accountPk), eq(members.role, "owner"));
	const other = and(eq(members.appPk, appPk), eq(members.accountPk, to.pk), ne(members.role, "owner"));
	const { refused } = await write([
		authorityStep(authority),
		// The order matters: there is never more than one Owner.
		updateStep(members, { role: "admin" }, owner, "demoted"),
		updateStep(members, { role: "owner" }, and(other, isActive(to.pk)), "gone"),
		condition(appPk, ownsAtMost(to.pk, max), "full"),
		...freshSteps(by),
		...letterSteps(letters, by.nowMs),
		{ run: auditBy(by, { appPk, event: "app.transferred", target: appId, changes: { owner: to.accountId } }) },
	]);
	return refused;
}

async function deleteApp(
	{ write }: Database,
	authority: Authority,
	{ id: appId, name }: App,
	endSubscriptions: boolean,
	job: NewJob,
): Promise<"demoted" | "renamed" | "subscribed" | "paying_others" | "stale" | undefined> {
	const { appPk, by } = authority;
	const kept = and(eq(apps.pk, appPk), isNull(apps.deletingMs), eq(apps.name, name));
	const { refused } = await write([
		authorityStep(authority),
		...(endSubscriptions ? [] : payingSteps(appPk)),
		updateStep(apps, { deletingMs: by.nowMs }, kept, "renamed"),
		...freshSteps(by),
		...endHostSteps(appPk, by.nowMs),
		updateStep(storages, { state: "deleting" }, eq(storages.appPk, appPk)),
		...revokeSteps(eq(keys.appPk, appPk), "app_deleted", by),
		{ run: jobEntry(job, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "app.deletion_started", target: appId, changes: { job: job.id } }) },
	]);
	return refused;
}

/** Refuses while users pay the App for its plans, or another seller for what they have in it. */
function payingSteps(appPk: number): readonly Step<"subscribed" | "paying_others">[] {
	const live = sql`SELECT 1 FROM ${subscriptions} WHERE ${subscriptions.subject} = 'user' AND ${subscriptions.endedMs} IS NULL`;
	const ofUsers = sql`SELECT ${connections.pk} FROM ${connections} WHERE ${connections.appPk} = ${appPk}`;
	return [
		condition(appPk, sql`NOT EXISTS (${live} AND ${subscriptions.appPk} = ${appPk})`, "subscribed"),
		condition(appPk, sql`NOT EXISTS (${live} AND ${subscriptions.connectionPk} IN (${ofUsers}))`, "paying_others"),
	];
}

function pkOf(appId: string): SQL<number> {
	return sql<number>`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${appId})`;
}

function ownsAtMost(accountPk: number, max: number): SQL {
	const owned = sql`SELECT count(*) FROM ${members} JOIN ${apps} ON ${apps.pk} = ${members.appPk}
		WHERE ${members.accountPk} = ${accountPk} AND ${members.role} = 'owner' AND ${apps.deletingMs} IS NULL`;
	return sql`(${owned}) <= ${max}`;
}

function changeSteps(
	{ appPk, by }: Authority,
	appId: string,
	{ name, signIn, profile, sale, delivery, referrers, deliveryLimits, freeLimits, imageHost, ...rest }: AppChanges,
): readonly Step<"logo">[] {
	rest satisfies Record<string, never>;
	const steps: Step<"logo">[] = profile === undefined ? [] : profileSteps(appPk, appId, profile, by);
	if (name !== undefined) {
		const { shown, folded } = name;
		const entry = { appPk, event: "app.renamed", target: appId, changes: { name: shown } };
		steps.push(updateStep(apps, { name: shown, nameFold: folded }, and(eq(apps.pk, appPk), ne(apps.name, shown))), {
			run: auditOnChange(by, entry),
		});
	}
	if (signIn !== undefined) {
		const entry = { appPk, event: signIn ? "app.sign_in_enabled" : "app.sign_in_disabled", target: appId };
		steps.push(updateStep(apps, { signIn }, and(eq(apps.pk, appPk), ne(apps.signIn, signIn))), {
			run: auditOnChange(by, entry),
		});
	}
	if (delivery !== undefined) {
		const entry = { appPk, event: "app.delivery_changed", target: appId, changes: { delivery } };
		steps.push(updateStep(apps, { delivery }, and(eq(apps.pk, appPk), ne(apps.delivery, delivery))), {
			run: auditOnChange(by, entry),
		});
	}
	steps.push(...strangerSteps(appPk, appId, { referrers, deliveryLimits }, by));
	if (sale !== undefined) steps.push(...saleSteps(appPk, appId, sale, by));
	if (freeLimits !== undefined) steps.push(...freeLimitSteps(appPk, appId, freeLimits, by));
	if (imageHost !== undefined) steps.push(...wantHostSteps(appPk, appId, imageHost, by));
	return steps;
}

/** What links of strangers may do. A limit that was not sent stays. */
function strangerSteps(
	appPk: number,
	appId: string,
	{ referrers, deliveryLimits: { bytes, renditions } = {} }: Pick<AppChanges, "referrers" | "deliveryLimits">,
	by: Actor,
): Step<never>[] {
	const hosts = referrers && (referrers.length > 0 ? referrers : null);
	const differs = or(
		hosts === undefined ? undefined : sql`${apps.deliveryReferrers} IS NOT ${hosts && JSON.stringify(hosts)}`,
		bytes === undefined ? undefined : sql`${apps.deliveryBytesLimit} IS NOT ${bytes}`,
		renditions === undefined ? undefined : sql`${apps.deliveryRenditionsLimit} IS NOT ${renditions}`,
	);
	if (differs === undefined) return [];
	const set = { deliveryReferrers: hosts, deliveryBytesLimit: bytes, deliveryRenditionsLimit: renditions };
	const changes = { referrers, bytes, renditions };
	return [
		updateStep(apps, set, and(eq(apps.pk, appPk), differs)),
		{ run: auditOnChange(by, { appPk, event: "app.delivery_changed", target: appId, changes }) },
	];
}

/** A limit that was not sent stays, whoever changes it at the same time. */
function freeLimitSteps(appPk: number, appId: string, { images, bytes }: LimitChanges, by: Actor): Step<never>[] {
	const differs = or(
		images === undefined ? undefined : sql`${apps.freeImagesLimit} IS NOT ${images}`,
		bytes === undefined ? undefined : sql`${apps.freeBytesLimit} IS NOT ${bytes}`,
	);
	if (differs === undefined) return [];
	const set = { freeImagesLimit: images, freeBytesLimit: bytes };
	const entry = { appPk, event: "app.free_limits_changed", target: appId, changes: { freeLimits: { images, bytes } } };
	return [
		updateStep(apps, set, and(eq(apps.pk, appPk), differs)),
		{ run: auditOnChange(by, entry) },
		followUserLimits(appPk),
	];
}

/** Only what was sent, so that two changes at once both hold. */
function saleSteps(appPk: number, appId: string, sale: NonNullable<AppChanges["sale"]>, by: Actor): Step<never>[] {
	const { taxMode, taxBehavior, promotionCodes } = sale;
	const sent = {
		...(taxMode !== undefined && { taxMode }),
		...(taxBehavior !== undefined && { taxBehavior }),
		...(promotionCodes !== undefined && { promotionCodes }),
	};
	if (Object.keys(sent).length === 0) return [];
	const differs = or(
		taxMode && ne(apps.taxMode, taxMode),
		taxBehavior && ne(apps.taxBehavior, taxBehavior),
		promotionCodes === undefined ? undefined : ne(apps.promotionCodes, promotionCodes),
	);
	const entry = { appPk, event: "app.sale_changed", target: appId, changes: sent };
	return [updateStep(apps, sent, and(eq(apps.pk, appPk), differs)), { run: auditOnChange(by, entry) }];
}
