import type { Mac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { trialGrants } from "@svc/base/database/schema/billing/plans";
import { publishedStatuses } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { columns } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { newEvent, type Occasion } from "@svc/events/event-entries-store";
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { Subscriber } from "../subscription.ts";
import { accessRows, LEFT, type Moments } from "./access-rows-store.ts";

/*
 * The events about what an App's users have bought (decision 0086). What the feed said last of each user is kept. Every commit that may change
 * where a user stands is put between two steps: the first keeps what was so before, where nothing was told yet, and the last compare with it.
 */

interface Terms {
	/** How long a subscription goes on while its payment fails. */
	readonly graceMs: number;
	/** Whether there is a processor at all. */
	readonly takesPayments: boolean;
	/** Digests what may have one trial only. */
	readonly trialMac: Mac;
}

export type PublishedStatuses = ReturnType<typeof publishedStatusStore>;

export function publishedStatusStore(database: Database, terms: Terms) {
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
			const { connectionPk, endsMs } = publishedStatuses;
			const over = and(sql`${endsMs} IS NOT NULL`, lte(endsMs, nowMs));
			const select = database.queries.select({ connectionPk }).from(publishedStatuses).where(over);
			const rows = await database.read(() => select.orderBy(asc(endsMs)).limit(limit));
			return rows.map((row) => row.connectionPk);
		},
	};
}

/** {@link PublishedStatuses.around} for what one subscriber has: no feed tells of what an App itself pays for. */
export async function aroundChange<Cause extends string>(
	published: PublishedStatuses,
	subscriber: Subscriber,
	occasion: Occasion,
	change: readonly Step<Cause>[],
): Promise<readonly Step<Cause>[]> {
	return subscriber.subject === "app" ? change : await published.around(subscriber.connectionPk, occasion, change);
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
	const type = sql`CASE WHEN published.held AND NOT fresh.held THEN 'subscription.ended'
		WHEN fresh.lives AND fresh.subscription IS NOT published.subscription THEN 'subscription.created'
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
	const from = sql`FROM (${after}) AS fresh JOIN ${publishedStatuses} AS published ON published.connection_pk = fresh.connection_pk
		WHERE fresh.connected AND fresh.shown <> published.shown`;
	return newEvent(occasion, event, from);
}

/** What was so when the subscription was read last, since time may have ended it meanwhile. Nothing where the feed told of this storage. */
function keepBefore(connectionPk: number, graceMs: number, nowMs: number): SQL {
	const synced = sql`coalesce(bought.synced_ms, ${nowMs})`;
	const before = statusOf(connectionPk, graceMs, { paidAtMs: synced, givenAtMs: sql`given.created_ms` });
	const published = sql`SELECT 1 FROM ${publishedStatuses} AS published
		WHERE published.connection_pk = prior.connection_pk AND published.storage IS prior.storage`;
	return keep(sql`SELECT * FROM (${before}) AS prior WHERE NOT EXISTS (${published})`);
}

function keep(status: SQL): SQL {
	const { connectionPk, storage, shown, subscription, held, endsMs } = publishedStatuses;
	const names = columns(connectionPk, storage, shown, subscription, held, endsMs);
	return sql`INSERT OR REPLACE INTO ${publishedStatuses} (${names})
		SELECT connection_pk, storage, shown, subscription, held, ends_ms FROM (${status})`;
}

function heldBy(connectionPk: number): SQL {
	const { connectionPk: pk, held } = publishedStatuses;
	return sql`SELECT 1 FROM ${publishedStatuses} WHERE ${pk} = ${connectionPk} AND ${held}`;
}

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
			FROM (${accessRows(sql`person.pk = ${connectionPk}`, graceMs, at)}))`;
}

function inJson(holds: SQL): SQL {
	return sql`json(iif(${holds}, 'true', 'false'))`;
}
