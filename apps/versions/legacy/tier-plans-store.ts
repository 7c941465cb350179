import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Database } from "@svc/base/database/client";
import { plans, prices } from "@svc/base/database/schema/billing/plans";
import { columns } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewPrice } from "@svc/billing/plans/plan";
import { eq, type SQL, sql } from "drizzle-orm";
import type { PaidTier } from "./tier-plans.ts";

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
