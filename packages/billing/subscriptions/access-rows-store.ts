import { apps, storages } from "@svc/base/database/schema/apps";
import { planGrants, plans, prices } from "@svc/base/database/schema/billing/plans";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { type SQL, sql } from "drizzle-orm";

/* The rules of `accessOf` as SQL, for what is decided while a change is committed. */

/** The moments for which access is decided: that which is paid for, and that which is given. */
export interface Moments {
	readonly paidAtMs: SQL;
	readonly givenAtMs: SQL;
}

/** After a connection: nothing is paid for and nothing given. */
export const LEFT = "left";

/**
 * What the connections for which `which` holds have bought, and are given, as the rows are when the statement runs. `paid` is the status of the access that
 * is paid for; what is given counts where that is `inactive`.
 * @param which a condition on `person`, a connection
 */
export function accessRows(which: SQL, graceMs: number, at: Moments | typeof LEFT): SQL {
	const hasLeft = at === LEFT;
	const { paidAtMs, givenAtMs } = hasLeft ? { paidAtMs: sql`0`, givenAtMs: sql`0` } : at;
	// Numbers of ours, and no values: who asks often keeps the whole as text.
	const left = sql.raw(hasLeft ? "1" : "0");
	const graceUntil = sql`max(bought.period_start_ms + ${sql.raw(String(graceMs))}, coalesce(bought.grace_until_ms, 0))`;
	const termEnd = sql`iif(bought.status = 'trialing', coalesce(bought.trial_end_ms, bought.period_end_ms), bought.period_end_ms)`;
	const isOver = sql`${left} OR bought.pk IS NULL OR bought.ended_ms IS NOT NULL OR bought.withdrawn_ms IS NOT NULL OR bought.dispute_state IS 'lost'`;
	// The one that lives for the present storage, or else the newest that has ended.
	const latest = sql`SELECT one.pk FROM ${subscriptions} AS one
		WHERE one.connection_pk = person.pk AND one.app_pk = person.app_pk AND one.subject = 'user'
			AND (one.ended_ms IS NOT NULL OR home.created_ms IS NULL OR one.created_ms >= home.created_ms)
		ORDER BY one.ended_ms IS NOT NULL, one.pk DESC LIMIT 1`;
	return sql`SELECT person.pk AS connection_pk, home.id AS storage, person.app_pk, person.user_id,
		app.id AS app_id, app.name AS app_name, app.selling,
		person.state = 'connected' AND app.deleting_ms IS NULL AND home.kind IS 'user' AS connected,
		bought.id AS bought_id, bought.status, bought.ended_ms, bought.trial_end_ms, bought.period_end_ms,
		bought.cancel_at_period_end, bought.cancel_at_ms, bought.pending_ms,
		price.id AS price_id, plan.pk AS plan_pk, plan.key AS plan_key, pending_plan.key AS pending_key,
		iif(bought.status = 'past_due', ${graceUntil}, ${termEnd}) AS paid_until_ms,
		CASE WHEN ${isOver} THEN 'inactive'
			WHEN bought.status = 'past_due' THEN iif(${paidAtMs} < ${graceUntil}, 'grace', 'inactive')
			WHEN bought.status NOT IN ('active', 'trialing') THEN 'inactive'
			WHEN ${paidAtMs} < ${termEnd} OR NOT bought.cancel_at_period_end THEN bought.status
			ELSE 'inactive' END AS paid,
		given.until_ms AS given_until_ms, given_plan.pk AS given_pk, given_plan.key AS given_key
		FROM ${connections} AS person
		JOIN ${apps} AS app ON app.pk = person.app_pk
		LEFT JOIN ${storages} AS home ON home.pk = person.storage_pk
		LEFT JOIN ${subscriptions} AS bought ON bought.pk = (${latest})
		LEFT JOIN ${prices} AS price ON price.pk = bought.price_pk
		LEFT JOIN ${plans} AS plan ON plan.pk = price.plan_pk
		LEFT JOIN ${prices} AS pending_price ON pending_price.pk = bought.pending_price_pk
		LEFT JOIN ${plans} AS pending_plan ON pending_plan.pk = pending_price.plan_pk
		LEFT JOIN ${planGrants} AS given ON given.connection_pk = person.pk AND given.app_pk = person.app_pk
			AND given.ended_ms IS NULL AND given.until_ms > ${givenAtMs} AND NOT ${left}
			AND person.state = 'connected' AND app.deleting_ms IS NULL AND home.created_ms <= given.created_ms
		LEFT JOIN ${plans} AS given_plan ON given_plan.pk = given.plan_pk
		WHERE ${which}`;
}
