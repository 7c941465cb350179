import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { plans, prices } from "@svc/base/database/schema/billing";
import { and, asc, desc, eq, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { NewPrice, NewSoldPlan, PlanFields, PlanRefusal, Price, SoldPlan } from "./plans.ts";

/** Every change is refused, and nothing of it written, while the App may not sell, or by who lost their role. */
export interface PlanStore {
	find(appPk: number, id: string): Promise<SoldPlan | undefined>;
	/** Newest first, archived ones too. */
	list(
		appPk: number,
		page: { readonly limit: number; readonly beforePk: number | undefined },
	): Promise<readonly SoldPlan[]>;
	/** By display order, then name: unarchived plans that have a price on sale, with those prices only. */
	listOnSale(
		appPk: number,
		page: { readonly limit: number; readonly afterPk: number | undefined },
	): Promise<readonly SoldPlan[]>;
	/** A price of this App with its plan, whether or not either is on sale. */
	findPrice(appPk: number, priceId: string): Promise<{ readonly plan: SoldPlan; readonly price: Price } | undefined>;
	/** Whether the App may sell now. */
	isSelling(appPk: number): Promise<boolean>;
	create(plan: NewSoldPlan, authority: Authority): Promise<PlanRefusal | "key_taken" | "full" | undefined>;
	/** `moved` when the plan is not any more what `before` says. */
	update(before: SoldPlan, after: PlanFields, authority: Authority): Promise<PlanRefusal | "moved" | undefined>;
	archive(plan: SoldPlan, authority: Authority): Promise<PlanRefusal | "archived" | undefined>;
	addPrice(
		plan: SoldPlan,
		price: NewPrice,
		authority: Authority,
	): Promise<PlanRefusal | "archived" | "full" | undefined>;
	setOnSale(
		plan: SoldPlan,
		price: Price,
		onSale: boolean,
		authority: Authority,
	): Promise<PlanRefusal | "archived" | undefined>;
}

const PLANS_MAX = 200;
const PRICES_MAX = 50;

export function planStore(database: Database): PlanStore {
	const { queries, read, write } = database;

	async function withPrices(rows: readonly PlanRow[], onlyOnSale = false): Promise<readonly SoldPlan[]> {
		if (rows.length === 0) return [];
		const ofThese = inArray(
			prices.planPk,
			rows.map(({ pk }) => pk),
		);
		const found = await read(() =>
			queries
				.select()
				.from(prices)
				.where(onlyOnSale ? and(ofThese, eq(prices.onSale, true)) : ofThese)
				.orderBy(asc(prices.pk)),
		);
		const byPlan = Map.groupBy(found, ({ planPk }) => planPk);
		return rows.map((row) => ({ ...row, prices: (byPlan.get(row.pk) ?? []).map(toPrice) }));
	}

	return {
		async find(appPk, id) {
			const rows = await read(() =>
				queries
					.select()
					.from(plans)
					.where(and(eq(plans.id, id), eq(plans.appPk, appPk))),
			);
			return (await withPrices(rows))[0];
		},
		async list(appPk, { limit, beforePk }) {
			const rows = await read(() =>
				queries
					.select()
					.from(plans)
					.where(and(eq(plans.appPk, appPk), beforePk === undefined ? undefined : lt(plans.pk, beforePk)))
					.orderBy(desc(plans.pk))
					.limit(limit),
			);
			return await withPrices(rows);
		},
		async listOnSale(appPk, { limit, afterPk }) {
			const rows = await read(() =>
				queries
					.select()
					.from(plans)
					.where(and(eq(plans.appPk, appPk), isOnSale, afterPk === undefined ? undefined : isAfter(afterPk)))
					.orderBy(asc(plans.displayOrder), asc(plans.name), asc(plans.pk))
					.limit(limit),
			);
			return await withPrices(rows, true);
		},
		async findPrice(appPk, priceId) {
			const rows = await read(() =>
				queries
					.select({ plan: plans })
					.from(prices)
					.innerJoin(plans, eq(plans.pk, prices.planPk))
					.where(and(eq(prices.id, priceId), eq(plans.appPk, appPk))),
			);
			const [plan] = await withPrices(rows.map((row) => row.plan));
			const price = plan?.prices.find(({ id }) => id === priceId);
			return plan && price && { plan, price };
		},
		async isSelling(appPk) {
			const [row] = await read(() => queries.select({ selling: apps.selling }).from(apps).where(eq(apps.pk, appPk)));
			return row?.selling ?? false;
		},
		async create(plan, authority) {
			const { by } = authority;
			const { id, key, appPk, ...fields } = plan;
			const { refused } = await write([
				authorityStep(authority),
				selling(appPk),
				{
					run: sql`UPDATE apps SET selling = 1 WHERE pk = ${appPk}
						AND (SELECT count(*) FROM plans WHERE app_pk = ${appPk}) < ${PLANS_MAX}`,
					guard: "full",
				},
				{ run: insertPlan(plan, by), guard: "key_taken" },
				{ run: auditBy(by, { appPk, event: "plan.created", target: id, changes: { key, ...fields } }) },
			]);
			return refused;
		},
		async update(before, after, authority) {
			const { by } = authority;
			const changes = changesOf(before, after);
			if (Object.keys(changes).length === 0) return undefined;
			const { refused } = await write([
				authorityStep(authority),
				selling(before.appPk),
				{
					run: queries
						.update(plans)
						.set({ ...changes, revision: before.revision + 1 })
						.where(and(eq(plans.pk, before.pk), eq(plans.revision, before.revision), sql`archived_ms IS NULL`)),
					guard: "moved",
				},
				{ run: auditBy(by, { appPk: before.appPk, event: "plan.updated", target: before.id, changes }) },
			]);
			return refused;
		},
		async archive({ pk, id, appPk }, authority) {
			const { by } = authority;
			const { refused } = await write([
				authorityStep(authority),
				selling(appPk),
				{
					run: sql`UPDATE plans SET archived_ms = ${by.nowMs}, revision = revision + 1
						WHERE pk = ${pk} AND archived_ms IS NULL`,
					guard: "archived",
				},
				{ run: auditBy(by, { appPk, event: "plan.archived", target: id }) },
			]);
			return refused;
		},
		async addPrice(plan, { id, ...terms }, authority) {
			const { by } = authority;
			const { refused } = await write([
				authorityStep(authority),
				selling(plan.appPk),
				unarchived(plan),
				{
					run: sql`UPDATE plans SET revision = revision + 1 WHERE pk = ${plan.pk}
						AND (SELECT count(*) FROM prices WHERE plan_pk = ${plan.pk}) < ${PRICES_MAX}`,
					guard: "full",
				},
				{
					run: queries.insert(prices).values({ id, planPk: plan.pk, ...terms, onSale: true, createdMs: by.nowMs }),
				},
				{
					run: auditBy(by, {
						appPk: plan.appPk,
						event: "price.created",
						target: id,
						changes: { plan: plan.id, ...terms },
					}),
				},
			]);
			return refused;
		},
		async setOnSale(plan, price, onSale, authority) {
			const { by } = authority;
			if (price.onSale === onSale) return undefined;
			const { refused } = await write([
				authorityStep(authority),
				selling(plan.appPk),
				unarchived(plan),
				{ run: queries.update(prices).set({ onSale }).where(eq(prices.pk, price.pk)) },
				{ run: auditBy(by, { appPk: plan.appPk, event: "price.updated", target: price.id, changes: { onSale } }) },
			]);
			return refused;
		},
	};
}

type PlanRow = typeof plans.$inferSelect;

function toPrice({ planPk: _, ...price }: typeof prices.$inferSelect): Price {
	return price;
}

const isOnSale = sql`${plans.archivedMs} IS NULL
	AND EXISTS (SELECT 1 FROM prices WHERE prices.plan_pk = ${plans.pk} AND prices.on_sale = 1)`;

function isAfter(pk: number): SQL {
	return sql`(${plans.displayOrder}, ${plans.name}, ${plans.pk})
		> (SELECT last.display_order, last.name, last.pk FROM plans AS last WHERE last.pk = ${pk})`;
}

/** Selling may be switched off between the look at the App and the commit. */
function selling(appPk: number): Step<"selling_off"> {
	const run = sql`UPDATE apps SET selling = 1 WHERE pk = ${appPk} AND selling = 1 AND deleting_ms IS NULL`;
	return { run, guard: "selling_off" };
}

/** Also tells whoever is just changing the plan that it moved. */
function unarchived({ pk }: SoldPlan): Step<"archived"> {
	return {
		run: sql`UPDATE plans SET revision = revision + 1 WHERE pk = ${pk} AND archived_ms IS NULL`,
		guard: "archived",
	};
}

function insertPlan(plan: Parameters<PlanStore["create"]>[0], { nowMs }: Actor): SQL {
	const { id, appPk, key, name, description, benefits, displayOrder, ...rest } = plan;
	rest satisfies Record<string, never>;
	return sql`INSERT INTO plans (id, app_pk, key, name, description, benefits, display_order, created_ms)
		VALUES (${id}, ${appPk}, ${key}, ${name}, ${description}, ${JSON.stringify(benefits)}, ${displayOrder}, ${nowMs})
		ON CONFLICT (app_pk, key) DO NOTHING`;
}

function changesOf(before: PlanFields, after: PlanFields): Partial<PlanFields> {
	const { name, description, benefits, displayOrder, ...rest } = after;
	rest satisfies Record<string, never>;
	return {
		...(name !== before.name && { name }),
		...(description !== before.description && { description }),
		...(JSON.stringify(benefits) !== JSON.stringify(before.benefits) && { benefits }),
		...(displayOrder !== before.displayOrder && { displayOrder }),
	};
}
