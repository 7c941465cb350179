import type { UserLimits } from "@svc/apps/app-record";
import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import { followUserLimits } from "@svc/apps/user-limits-store";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { plans, prices } from "@svc/base/database/schema/billing/plans";
import { condition, olderThan } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, asc, desc, eq, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { NewPrice, NewSoldPlan, PlanFields, PlanPrice, PlanRefusal, SoldPlan } from "./plan.ts";

/** Every change is refused, and nothing of it is written, while the App may not sell, or when its author has lost the role for it. */
export function planStore(database: Database) {
	return {
		find: findPlan.bind(undefined, database),
		/** A plan of this App, archived or not, by the key that the App knows it by. */
		findByKey: findPlanByKey.bind(undefined, database),
		/** What plans of this App let a user keep, archived or not, by their keys. */
		limitsByKey: findLimitsByKey.bind(undefined, database),
		/** Lists plans newest first, archived ones too. */
		list: listPlans.bind(undefined, database),
		/** Lists unarchived plans that have a price on sale, with those prices only, by display order, then name. */
		listOnSale: listPlansOnSale.bind(undefined, database),
		/** A price of this App with its plan, whether or not either is on sale. */
		findPrice: findPrice.bind(undefined, database),
		/** Whether the App may sell now. */
		isSelling: isSelling.bind(undefined, database),
		create: insertPlan.bind(undefined, database),
		/** Refuses with `moved` when the plan differs from `before` by now. */
		update: changePlan.bind(undefined, database),
		archive: markArchived.bind(undefined, database),
		addPrice: insertPrice.bind(undefined, database),
		setOnSale: changeOnSale.bind(undefined, database),
	};
}

const PLANS_MAX = 200;
const PRICES_MAX = 50;

async function findPlan(database: Database, appPk: number, id: string): Promise<SoldPlan | undefined> {
	const one = and(eq(plans.id, id), eq(plans.appPk, appPk));
	const rows = await database.read(() => database.queries.select().from(plans).where(one));
	return (await withPrices(database, rows))[0];
}

async function findPlanByKey(database: Database, appPk: number, key: string): Promise<SoldPlan | undefined> {
	const one = and(eq(plans.key, key), eq(plans.appPk, appPk));
	const rows = await database.read(() => database.queries.select().from(plans).where(one));
	return (await withPrices(database, rows))[0];
}

async function findLimitsByKey(
	{ queries, read }: Database,
	appPk: number,
	keys: readonly string[],
): Promise<ReadonlyMap<string, UserLimits>> {
	if (keys.length === 0) return new Map();
	const { key, imagesLimit: images, bytesLimit: bytes } = plans;
	const named = and(eq(plans.appPk, appPk), inArray(key, [...new Set(keys)]));
	const rows = await read(() => queries.select({ key, images, bytes }).from(plans).where(named));
	return new Map(rows.map(({ key: planKey, ...limits }) => [planKey, limits]));
}

async function listPlans(database: Database, appPk: number, { limit, beforePk }: Span): Promise<readonly SoldPlan[]> {
	const { queries, read } = database;
	const older = and(eq(plans.appPk, appPk), olderThan(plans.pk, beforePk));
	const rows = await read(() => queries.select().from(plans).where(older).orderBy(desc(plans.pk)).limit(limit));
	return await withPrices(database, rows);
}

async function listPlansOnSale(
	database: Database,
	appPk: number,
	{ limit, afterPk }: { readonly limit: number; readonly afterPk: number | undefined },
): Promise<readonly SoldPlan[]> {
	const { queries, read } = database;
	const shown = and(eq(plans.appPk, appPk), isOnSale, afterPk === undefined ? undefined : isAfter(afterPk));
	const order = [asc(plans.displayOrder), asc(plans.name), asc(plans.pk)];
	const rows = await read(() =>
		queries
			.select()
			.from(plans)
			.where(shown)
			.orderBy(...order)
			.limit(limit),
	);
	return await withPrices(database, rows, true);
}

async function findPrice(
	database: Database,
	appPk: number,
	priceId: string,
): Promise<{ readonly plan: SoldPlan; readonly price: PlanPrice } | undefined> {
	const { queries, read } = database;
	const rows = await read(() =>
		queries
			.select({ plan: plans })
			.from(prices)
			.innerJoin(plans, eq(plans.pk, prices.planPk))
			.where(and(eq(prices.id, priceId), eq(plans.appPk, appPk))),
	);
	const found = rows.map((row) => row.plan);
	const [plan] = await withPrices(database, found);
	const price = plan?.prices.find(({ id }) => id === priceId);
	return plan && price && { plan, price };
}

async function isSelling({ queries, read }: Database, appPk: number): Promise<boolean> {
	const [row] = await read(() => queries.select({ selling: apps.selling }).from(apps).where(eq(apps.pk, appPk)));
	return row?.selling ?? false;
}

async function insertPlan(
	{ queries, write }: Database,
	plan: NewSoldPlan,
	authority: Authority,
): Promise<PlanRefusal | "key_taken" | "full" | undefined> {
	const { by } = authority;
	const { id, key, appPk, name, description, benefits, displayOrder, imagesLimit, bytesLimit, ...rest } = plan;
	rest satisfies Record<string, never>;
	const fields = { name, description, benefits, displayOrder, imagesLimit, bytesLimit };
	const row = { id, key, appPk, ...fields, createdMs: by.nowMs };
	const room = lt(queries.$count(plans, eq(plans.appPk, appPk)), PLANS_MAX);
	const target = [plans.appPk, plans.key];
	const { refused } = await write([
		...sellerSteps(authority, appPk),
		condition(appPk, room, "full"),
		{ run: queries.insert(plans).values(row).onConflictDoNothing({ target }), guard: "key_taken" },
		followUserLimits(appPk),
		{ run: auditBy(by, { appPk, event: "plan.created", target: id, changes: { key, ...fields } }) },
	]);
	return refused;
}

async function changePlan(
	{ queries, write }: Database,
	before: SoldPlan,
	after: PlanFields,
	authority: Authority,
): Promise<PlanRefusal | "moved" | undefined> {
	const { by } = authority;
	const changes = changesOf(before, after);
	if (Object.keys(changes).length === 0) return undefined;
	const set = { ...changes, revision: before.revision + 1 };
	const asRead = and(eq(plans.pk, before.pk), eq(plans.revision, before.revision), isNull(plans.archivedMs));
	const { refused } = await write([
		...sellerSteps(authority, before.appPk),
		{ run: queries.update(plans).set(set).where(asRead), guard: "moved" },
		followUserLimits(before.appPk),
		{ run: auditBy(by, { appPk: before.appPk, event: "plan.updated", target: before.id, changes }) },
	]);
	return refused;
}

async function markArchived(
	database: Database,
	plan: SoldPlan,
	authority: Authority,
): Promise<PlanRefusal | "archived" | undefined> {
	const { by } = authority;
	const { refused } = await database.write([
		...sellerSteps(authority, plan.appPk),
		moveUnarchived(database, plan, { archivedMs: by.nowMs }),
		{ run: auditBy(by, { appPk: plan.appPk, event: "plan.archived", target: plan.id }) },
	]);
	return refused;
}

async function insertPrice(
	database: Database,
	plan: SoldPlan,
	{ id, ...terms }: NewPrice,
	authority: Authority,
): Promise<PlanRefusal | "archived" | "full" | undefined> {
	const { queries, write } = database;
	const { by } = authority;
	const { pk: planPk, appPk } = plan;
	const room = lt(queries.$count(prices, eq(prices.planPk, planPk)), PRICES_MAX);
	const { refused } = await write([
		...sellerSteps(authority, appPk),
		moveUnarchived(database, plan),
		condition(appPk, room, "full"),
		{ run: queries.insert(prices).values({ id, planPk, ...terms, onSale: true, createdMs: by.nowMs }) },
		{ run: auditBy(by, { appPk, event: "price.created", target: id, changes: { plan: plan.id, ...terms } }) },
	]);
	return refused;
}

async function changeOnSale(
	database: Database,
	plan: SoldPlan,
	price: PlanPrice,
	onSale: boolean,
	authority: Authority,
): Promise<PlanRefusal | "archived" | undefined> {
	const { queries, write } = database;
	const { by } = authority;
	if (price.onSale === onSale) return undefined;
	const { refused } = await write([
		...sellerSteps(authority, plan.appPk),
		moveUnarchived(database, plan),
		{ run: queries.update(prices).set({ onSale }).where(eq(prices.pk, price.pk)) },
		{ run: auditBy(by, { appPk: plan.appPk, event: "price.updated", target: price.id, changes: { onSale } }) },
	]);
	return refused;
}

/** Selling may be switched off, and a role lost, between the read of the App and the commit. */
function sellerSteps(authority: Authority, appPk: number) {
	const selling = sql`${apps.selling} = 1 AND ${apps.deletingMs} IS NULL`;
	return [authorityStep(authority), condition(appPk, selling, "selling_off")] as const;
}

/** Changes a plan that is not archived. Even without further changes it raises the revision, so that a concurrent change notices. */
function moveUnarchived(
	{ queries }: Database,
	{ pk }: SoldPlan,
	changes: Pick<typeof plans.$inferInsert, "archivedMs"> = {},
): Step<"archived"> {
	const set = { ...changes, revision: sql`${plans.revision} + 1` };
	const unarchived = and(eq(plans.pk, pk), isNull(plans.archivedMs));
	return { run: queries.update(plans).set(set).where(unarchived), guard: "archived" };
}

async function withPrices(
	{ queries, read }: Database,
	rows: readonly (typeof plans.$inferSelect)[],
	onlyOnSale = false,
): Promise<readonly SoldPlan[]> {
	if (rows.length === 0) return [];
	const pks = rows.map(({ pk }) => pk);
	const wanted = and(inArray(prices.planPk, pks), onlyOnSale ? eq(prices.onSale, true) : undefined);
	const found = await read(() => queries.select().from(prices).where(wanted).orderBy(asc(prices.pk)));
	const byPlan = Map.groupBy(found, ({ planPk }) => planPk);
	return rows.map((row) => ({ ...row, prices: (byPlan.get(row.pk) ?? []).map(toPrice) }));
}

function toPrice({ planPk: _, ...price }: typeof prices.$inferSelect): PlanPrice {
	return price;
}

const isOnSale = sql`${plans.archivedMs} IS NULL
	AND EXISTS (SELECT 1 FROM ${prices} WHERE ${prices.planPk} = ${plans.pk} AND ${prices.onSale} = 1)`;

const last = alias(plans, "last");

function isAfter(pk: number): SQL {
	return sql`(${plans.displayOrder}, ${plans.name}, ${plans.pk})
		> (SELECT ${last.displayOrder}, ${last.name}, ${last.pk} FROM ${plans} AS ${last} WHERE ${last.pk} = ${pk})`;
}

/** Each field of a plan has a column of its name. */
type PlanChanges = Partial<Pick<typeof plans.$inferInsert, keyof PlanFields>>;

function changesOf(before: PlanFields, after: PlanFields): PlanChanges {
	const { name, description, benefits, displayOrder, imagesLimit, bytesLimit, ...rest } = after;
	rest satisfies Record<string, never>;
	return {
		...(name !== before.name && { name }),
		...(description !== before.description && { description }),
		...(JSON.stringify(benefits) !== JSON.stringify(before.benefits) && { benefits }),
		...(displayOrder !== before.displayOrder && { displayOrder }),
		...(imagesLimit !== before.imagesLimit && { imagesLimit }),
		...(bytesLimit !== before.bytesLimit && { bytesLimit }),
	};
}
