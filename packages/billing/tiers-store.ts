import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Database, Step } from "@svc/base/database/client";
import type { Interval } from "@svc/base/enumerations";
import { type SQL, sql } from "drizzle-orm";
import type { PaidTier } from "./tiers.ts";

export interface TierPlan {
	/** For when it is made: one that is there keeps its own. */
	readonly id: string;
	readonly key: PaidTier;
	readonly name: string;
	readonly displayOrder: number;
	readonly prices: readonly {
		readonly id: string;
		readonly amount: number;
		readonly currency: string;
		readonly interval: Interval;
	}[];
}

export interface TierPlanStore {
	/**
	 * From now on these are on sale, at these prices and no others; whoever has bought at another price keeps it. Harmless where all is
	 * so already.
	 */
	offer(plans: readonly TierPlan[], nowMs: number): Promise<void>;
}

export function tierPlanStore({ write }: Database): TierPlanStore {
	return {
		async offer(plans, nowMs) {
			await write(plans.flatMap((plan) => planSteps(plan, nowMs)));
		},
	};
}

function planSteps({ id, key, name, displayOrder, prices }: TierPlan, nowMs: number): readonly Step[] {
	const plan = sql`(SELECT pk FROM plans WHERE app_pk = ${OWN_APP_PK} AND key = ${key})`;
	const wanted = prices.map(({ amount, currency, interval }) => sql`(${amount}, ${currency}, ${interval})`);
	return [
		{
			run: sql`INSERT INTO plans (id, app_pk, key, name, description, benefits, display_order, created_ms)
				VALUES (${id}, ${OWN_APP_PK}, ${key}, ${name}, '', '[]', ${displayOrder}, ${nowMs})
				ON CONFLICT (app_pk, key) DO UPDATE SET name = excluded.name, display_order = excluded.display_order`,
		},
		...prices.map((price) => ({ run: insertPrice(plan, price, nowMs) })),
		{
			run: sql`UPDATE prices SET on_sale = (amount, currency, interval) IN (VALUES ${sql.join(wanted, sql`, `)})
				WHERE plan_pk = ${plan}`,
		},
	];
}

/** The terms of a price never change: another amount is another price. */
function insertPrice(plan: SQL, { id, amount, currency, interval }: TierPlan["prices"][number], nowMs: number): SQL {
	return sql`INSERT INTO prices (id, plan_pk, amount, currency, interval, trial_days, on_sale, created_ms)
		SELECT ${id}, ${plan}, ${amount}, ${currency}, ${interval}, 0, 1, ${nowMs}
		WHERE NOT EXISTS (SELECT 1 FROM prices WHERE plan_pk = ${plan}
			AND (amount, currency, interval) = (${amount}, ${currency}, ${interval}))`;
}

/** Whether a subscription gives what it is to, as far as its row says. A failed renewal is waited for, and then ends it. */
const GIVES = sql`subscriptions.ended_ms IS NULL AND subscriptions.withdrawn_ms IS NULL
	AND subscriptions.status IN ('active', 'trialing', 'past_due')`;

/** The tier that is paid for with a connection, as the rows stand when the statement runs; what was bought for an earlier storage ends. */
function paidTier(connection: SQL): SQL {
	return sql`coalesce((SELECT plans.key FROM subscriptions
		JOIN prices ON prices.pk = subscriptions.price_pk JOIN plans ON plans.pk = prices.plan_pk
		JOIN connections ON connections.pk = subscriptions.connection_pk
		JOIN storages AS theirs ON theirs.pk = connections.storage_pk AND theirs.created_ms <= subscriptions.created_ms
		WHERE subscriptions.connection_pk = ${connection} AND subscriptions.subject = 'user' AND ${GIVES}
			AND plans.app_pk = ${OWN_APP_PK}), 'free')`;
}

/**
 * Gives the storage of a connection the tier that is paid for. Belongs into every commit that changes either of them, behind the change;
 * where the service sells no tiers every storage has the free one, and nothing happens.
 */
export function followTier(connection: SQL): Step {
	return {
		run: sql`UPDATE storages SET tier = ${paidTier(connection)}
			WHERE pk = (SELECT storage_pk FROM connections WHERE pk = ${connection} AND state = 'connected')
				AND tier <> ${paidTier(connection)}`,
	};
}
