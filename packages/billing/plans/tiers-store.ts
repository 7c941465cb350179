import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { plans, prices } from "@svc/base/database/schema/billing/plans";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import type { Step } from "@svc/base/database/step";
import { and, eq, inArray, isNull, lte, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";

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
