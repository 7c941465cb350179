import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Database, Step } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { plans, prices, subscriptions } from "@svc/base/database/schema/billing";
import { connections } from "@svc/base/database/schema/connect";
import { columns } from "@svc/base/database/statements";
import { and, eq, inArray, isNull, lte, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { NewPrice } from "./plans.ts";
import type { PaidTier } from "./tiers.ts";

export interface TierPlan {
	/** The id for a new plan: an existing one keeps its own. */
	readonly id: string;
	readonly key: PaidTier;
	readonly name: string;
	readonly displayOrder: number;
	readonly prices: readonly Omit<NewPrice, "trialDays">[];
}

export type TierPlanStore = ReturnType<typeof tierPlanStore>;

export function tierPlanStore(database: Database) {
	return {
		/**
		 * From now on these are on sale, at these prices and no others; payers who bought at another price keep it. Harmless where all is
		 * so already.
		 */
		async offer(tiers: readonly TierPlan[], nowMs: number): Promise<void> {
			await database.write(tiers.flatMap((tier) => offerSteps(database, tier, nowMs)));
		},
	};
}

/**
 * Gives the storage of a connection the tier that is paid for. Belongs into every commit that changes either of them, behind the change;
 * where the service sells no tiers every storage has the free one, and nothing happens.
 */
export function followTier(database: Database, connectionPk: number): Step {
	const { queries } = database;
	const connected = and(eq(connections.pk, connectionPk), eq(connections.state, "connected"));
	const storagePk = queries.select({ pk: connections.storagePk }).from(connections).where(connected);
	const tier = paidTier(database, connectionPk);
	const other = and(eq(storages.pk, storagePk), ne(storages.tier, tier));
	return { run: queries.update(storages).set({ tier }).where(other) };
}

function offerSteps({ queries }: Database, tier: TierPlan, nowMs: number): readonly Step[] {
	const { id, key, name, displayOrder } = tier;
	const row = { id, appPk: OWN_APP_PK, key, name, description: "", benefits: [], displayOrder, createdMs: nowMs };
	const planPk = sql`(SELECT ${plans.pk} FROM ${plans} WHERE ${plans.appPk} = ${OWN_APP_PK} AND ${plans.key} = ${key})`;
	const wanted = tier.prices.map(({ amount, currency, interval }) => sql`(${amount}, ${currency}, ${interval})`);
	const onSale = sql`${TERMS} IN (VALUES ${sql.join(wanted, sql`, `)})`;
	const known = { target: [plans.appPk, plans.key], set: { name, displayOrder } };
	return [
		{ run: queries.insert(plans).values(row).onConflictDoUpdate(known) },
		...tier.prices.map((price) => ({ run: insertPrice(planPk, price, nowMs) })),
		{ run: queries.update(prices).set({ onSale }).where(eq(prices.planPk, planPk)) },
	];
}

const TERMS = sql`(${prices.amount}, ${prices.currency}, ${prices.interval})`;

/** The amount and currency of a price never change: another amount is another price. */
function insertPrice(planPk: SQL, { id, amount, currency, interval }: TierPlan["prices"][number], nowMs: number): SQL {
	const { trialDays, onSale, createdMs } = prices;
	const terms = [prices.amount, prices.currency, prices.interval];
	const into = columns(prices.id, prices.planPk, ...terms, trialDays, onSale, createdMs);
	return sql`INSERT INTO ${prices} (${into})
		SELECT ${id}, ${planPk}, ${amount}, ${currency}, ${interval}, 0, 1, ${nowMs}
		WHERE NOT EXISTS (SELECT 1 FROM ${prices} WHERE ${prices.planPk} = ${planPk}
			AND ${TERMS} = (${amount}, ${currency}, ${interval}))`;
}

const theirs = alias(storages, "theirs");

/**
 * The tier that is paid for with a connection, as the rows stand when the statement runs. A failed renewal has a grace, and then ends
 * it; what was bought for an earlier storage gives nothing any more.
 */
function paidTier({ queries }: Database, connectionPk: number): SQL {
	const held = and(
		eq(subscriptions.connectionPk, connectionPk),
		sql`${subscriptions.subject} = 'user'`,
		isNull(subscriptions.endedMs),
		isNull(subscriptions.withdrawnMs),
		inArray(subscriptions.status, ["active", "trialing", "past_due"]),
	);
	const paid = queries
		.select({ key: plans.key })
		.from(subscriptions)
		.innerJoin(prices, eq(prices.pk, subscriptions.pricePk))
		.innerJoin(plans, eq(plans.pk, prices.planPk))
		.innerJoin(connections, eq(connections.pk, subscriptions.connectionPk))
		.innerJoin(theirs, and(eq(theirs.pk, connections.storagePk), lte(theirs.createdMs, subscriptions.createdMs)))
		.where(and(held, eq(plans.appPk, OWN_APP_PK)));
	return sql`coalesce(${paid}, 'free')`;
}
