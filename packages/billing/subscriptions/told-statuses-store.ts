import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { planGrants, plans, prices, subscriptions, toldStatuses, trialGrants } from "@svc/base/database/schema/billing";
import { connections } from "@svc/base/database/schema/connect";
import { columns } from "@svc/base/database/statements";
import type { Mac } from "@svc/base/macs";
import { newEvent } from "@svc/events/event-entries-store";
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { Subscriber } from "./subscriptions.ts";

/*
 * The events about what an App's users have bought (decision 0086). What the feed said last of each user is kept. Every commit that may change
 * where a user stands is put between two steps: the first keeps what was so before, where nothing was told yet, and the last compare with it.
 */

type Occasion = Parameters<typeof newEvent>[0];

interface Terms {
	/** How long a subscription goes on while its payment fails. */
	readonly graceMs: number;
	/** Whether there is a processor at all. */
	readonly takesPayments: boolean;
	/** Digests what may have one trial only. */
	readonly trialMac: Mac;
}

export type ToldStatuses = ReturnType<typeof toldStatusStore>;

export function toldStatusStore(database: Database, terms: Terms) {
	return {
		/** The steps of a change to what one user has, with those that tell the App's feed what came of it; nothing where nothing did. */
		async around<Cause extends string>(
			connectionPk: number,
			occasion: Occasion,
			change: readonly Step<Cause>[],
		): Promise<readonly Step<Cause>[]> {
			const macs = await trialMacsOf(database, terms, connectionPk);
			const now = sql`${occasion.nowMs}`;
			const after = statusOf(connectionPk, terms.graceMs, { paidAtMs: now, givenAtMs: now });
			return [
				{ run: keepBefore(connectionPk, terms.graceMs, occasion.nowMs) },
				...change,
				tell(occasion, after, macs, terms.takesPayments),
				{ run: keep(after) },
			];
		},
		/** The steps, before those that end a connection, that tell the App's feed of the access that ends with it; nothing where there was none. */
		async leaving(connectionPk: number, occasion: Occasion): Promise<readonly Step<never>[]> {
			const macs = await trialMacsOf(database, terms, connectionPk);
			const after = statusOf(connectionPk, terms.graceMs, LEFT);
			return [
				{ run: keepBefore(connectionPk, terms.graceMs, occasion.nowMs) },
				tell(occasion, sql`SELECT * FROM (${after}) WHERE EXISTS (${heldBy(connectionPk)})`, macs, terms.takesPayments),
				{ run: keep(after) },
			];
		},
		/** The connections whose access has ended by the clock since the feed told of it, the longest ago first. */
		async listOver(nowMs: number, limit: number): Promise<readonly number[]> {
			const { connectionPk, endsMs } = toldStatuses;
			const over = and(sql`${endsMs} IS NOT NULL`, lte(endsMs, nowMs));
			const select = database.queries.select({ connectionPk }).from(toldStatuses).where(over);
			const rows = await database.read(() => select.orderBy(asc(endsMs)).limit(limit));
			return rows.map((row) => row.connectionPk);
		},
	};
}

/** {@link ToldStatuses.around} for what one subscriber has: no feed tells of what an App itself pays for. */
export async function aroundChange<Cause extends string>(
	told: ToldStatuses,
	subscriber: Subscriber,
	occasion: Occasion,
	change: readonly Step<Cause>[],
): Promise<readonly Step<Cause>[]> {
	return subscriber.subject === "app" ? change : await told.around(subscriber.connectionPk, occasion, change);
}

async function trialMacsOf({ queries, read }: Database, terms: Terms, connectionPk: number) {
	const { id, emailNorm } = accounts;
	const payer = queries
		.select({ id, emailNorm })
		.from(connections)
		.innerJoin(accounts, eq(accounts.pk, connections.accountPk));
	const rows = await read(() => payer.where(eq(connections.pk, connectionPk)));
	const macs = rows.map((row) => [terms.trialMac("account", row.id), terms.trialMac("email", row.emailNorm)]);
	return await Promise.all(macs.flat());
}

function tell(
	occasion: Occasion,
	after: SQL,
	macs: readonly Uint8Array[],
	takesPayments: boolean,
): { readonly run: SQL } {
	const type = sql`CASE WHEN told.held AND NOT fresh.held THEN 'subscription.ended'
		WHEN fresh.lives AND fresh.subscription IS NOT told.subscription THEN 'subscription.created'
		ELSE 'subscription.updated' END`;
	const used = sql`EXISTS (SELECT 1 FROM ${trialGrants}
		WHERE ${trialGrants.appPk} = fresh.app_pk AND ${trialGrants.emailMac} IN ${[...macs, new Uint8Array()]})`;
	const data = sql`json_object('object', json_object(
		'app', json_object('id', fresh.app_id, 'name', fresh.app_name),
		'purchasingEnabled', ${inJson(sql`fresh.selling AND ${takesPayments ? 1 : 0}`)},
		'trialEligible', ${inJson(sql`NOT ${used}`)},
		'hasSubscribed', ${inJson(sql`fresh.subscribed`)},
		'shown', json(fresh.shown)))`;
	const event = { type, appPk: sql`fresh.app_pk`, userId: sql`fresh.user_id`, subject: sql`fresh.user_id`, data };
	const from = sql`FROM (${after}) AS fresh JOIN ${toldStatuses} AS told ON told.connection_pk = fresh.connection_pk
		WHERE fresh.connected AND fresh.shown <> told.shown`;
	return newEvent(occasion, event, from);
}

/** What was so when the subscription was read last, since time may have ended it meanwhile. Nothing where the feed told of this storage. */
function keepBefore(connectionPk: number, graceMs: number, nowMs: number): SQL {
	const synced = sql`coalesce(bought.synced_ms, ${nowMs})`;
	const before = statusOf(connectionPk, graceMs, { paidAtMs: synced, givenAtMs: sql`given.created_ms` });
	const told = sql`SELECT 1 FROM ${toldStatuses} AS told
		WHERE told.connection_pk = prior.connection_pk AND told.storage IS prior.storage`;
	return keep(sql`SELECT * FROM (${before}) AS prior WHERE NOT EXISTS (${told})`);
}

function keep(status: SQL): SQL {
	const { connectionPk, storage, shown, subscription, held, endsMs } = toldStatuses;
	const names = columns(connectionPk, storage, shown, subscription, held, endsMs);
	return sql`INSERT OR REPLACE INTO ${toldStatuses} (${names})
		SELECT connection_pk, storage, shown, subscription, held, ends_ms FROM (${status})`;
}

function heldBy(connectionPk: number): SQL {
	const { connectionPk: pk, held } = toldStatuses;
	return sql`SELECT 1 FROM ${toldStatuses} WHERE ${pk} = ${connectionPk} AND ${held}`;
}

/** The moments for which access is decided: that which is paid for, and that which is given. */
interface Moments {
	readonly paidAtMs: SQL;
	readonly givenAtMs: SQL;
}

/** After a connection: nothing is paid for and nothing given. */
const LEFT = "left";

/** Where a user stands as the rows are when the statement runs: one row, by the rules of `accessOf`. */
function statusOf(connectionPk: number, graceMs: number, at: Moments | typeof LEFT): SQL {
	return sql`SELECT connection_pk, storage, app_pk, app_id, app_name, user_id, connected, selling,
		bought_id IS NOT NULL AS subscribed,
		bought_id IS NOT NULL AND ended_ms IS NULL AND NOT is_given AS lives,
		iif(is_given, NULL, bought_id) AS subscription,
		is_given OR paid <> 'inactive' AS held,
		CASE WHEN is_given THEN given_until_ms
			WHEN paid <> 'inactive' AND (status = 'past_due' OR cancel_at_period_end) THEN paid_until_ms END AS ends_ms,
		json_object(
			'access', json_object(
				'planKey', CASE WHEN is_given THEN given_key WHEN paid <> 'inactive' THEN plan_key END,
				'status', iif(is_given, 'active', paid),
				'expiresMs', CASE WHEN is_given THEN given_until_ms WHEN paid <> 'inactive' THEN paid_until_ms END),
			'subscription', CASE WHEN bought_id IS NULL OR is_given THEN NULL ELSE json_object(
				'id', bought_id, 'planKey', plan_key, 'priceId', price_id, 'status', status, 'trialEndMs', trial_end_ms,
				'periodEndMs', period_end_ms, 'cancelAtPeriodEnd', ${inJson(sql`cancel_at_period_end`)},
				'cancelAtMs', cancel_at_ms, 'pendingPlanKey', pending_key, 'pendingMs', pending_ms) END) AS shown
		FROM (SELECT *, paid = 'inactive' AND given_key IS NOT NULL AS is_given
			FROM (${rowsOf(connectionPk, graceMs, at)}))`;
}

function rowsOf(connectionPk: number, graceMs: number, at: Moments | typeof LEFT): SQL {
	const hasLeft = at === LEFT;
	const { paidAtMs, givenAtMs } = hasLeft ? { paidAtMs: sql`0`, givenAtMs: sql`0` } : at;
	const graceUntil = sql`max(bought.period_start_ms + ${graceMs}, coalesce(bought.grace_until_ms, 0))`;
	const termEnd = sql`iif(bought.status = 'trialing', coalesce(bought.trial_end_ms, bought.period_end_ms), bought.period_end_ms)`;
	const isOver = sql`${hasLeft ? 1 : 0} OR bought.pk IS NULL OR bought.ended_ms IS NOT NULL OR bought.withdrawn_ms IS NOT NULL OR bought.dispute_state IS 'lost'`;
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
		price.id AS price_id, plan.key AS plan_key, pending_plan.key AS pending_key,
		iif(bought.status = 'past_due', ${graceUntil}, ${termEnd}) AS paid_until_ms,
		CASE WHEN ${isOver} THEN 'inactive'
			WHEN bought.status = 'past_due' THEN iif(${paidAtMs} < ${graceUntil}, 'grace', 'inactive')
			WHEN bought.status NOT IN ('active', 'trialing') THEN 'inactive'
			WHEN ${paidAtMs} < ${termEnd} OR NOT bought.cancel_at_period_end THEN bought.status
			ELSE 'inactive' END AS paid,
		given.until_ms AS given_until_ms, given_plan.key AS given_key
		FROM ${connections} AS person
		JOIN ${apps} AS app ON app.pk = person.app_pk
		LEFT JOIN ${storages} AS home ON home.pk = person.storage_pk
		LEFT JOIN ${subscriptions} AS bought ON bought.pk = (${latest})
		LEFT JOIN ${prices} AS price ON price.pk = bought.price_pk
		LEFT JOIN ${plans} AS plan ON plan.pk = price.plan_pk
		LEFT JOIN ${prices} AS pending_price ON pending_price.pk = bought.pending_price_pk
		LEFT JOIN ${plans} AS pending_plan ON pending_plan.pk = pending_price.plan_pk
		LEFT JOIN ${planGrants} AS given ON given.connection_pk = person.pk AND given.app_pk = person.app_pk
			AND given.ended_ms IS NULL AND given.until_ms > ${givenAtMs} AND NOT ${hasLeft ? 1 : 0}
			AND person.state = 'connected' AND app.deleting_ms IS NULL AND home.created_ms <= given.created_ms
		LEFT JOIN ${plans} AS given_plan ON given_plan.pk = given.plan_pk
		WHERE person.pk = ${connectionPk}`;
}

function inJson(holds: SQL): SQL {
	return sql`json(iif(${holds}, 'true', 'false'))`;
}
