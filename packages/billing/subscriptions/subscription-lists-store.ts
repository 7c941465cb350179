import type { Span } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { invoices, subscriptions } from "@svc/base/database/schema/billing";
import { connections } from "@svc/base/database/schema/connect";
import { olderThan } from "@svc/base/database/statements";
import { foldEmail } from "@svc/base/email";
import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import {
	isOfEarlierStorage,
	type SubscriptionRow,
	selectSubscriptions,
	toSubscription,
} from "./subscription-rows-store.ts";
import type { Invoice, OwnedSubscription, Subscription } from "./subscriptions.ts";

/* Lists of subscriptions for those who read them: an App's team, and operators. */

export async function listOwned(
	database: Database,
	appPk: number,
	{ limit, beforePk }: Span,
): Promise<readonly OwnedSubscription[]> {
	const where = and(eq(subscriptions.appPk, appPk), olderThan(subscriptions.pk, beforePk));
	const rows = await selectSubscriptions(database, { where, order: [desc(subscriptions.pk)], limit });
	return await toOwned(database, rows);
}

export async function findOwned(database: Database, appPk: number, id: string): Promise<OwnedSubscription | undefined> {
	const where = and(eq(subscriptions.appPk, appPk), eq(subscriptions.id, id));
	return (await toOwned(database, await selectSubscriptions(database, { where, order: [], limit: 1 })))[0];
}

/** Which of all subscriptions an operator looks for. */
interface SubscriptionFilters {
	/** Public id of the App that sells, or whose own plan it is. */
	readonly app?: string | undefined;
	readonly state?: string | undefined;
	/** How the payer's address begins. */
	readonly email?: string | undefined;
}

export async function listAll(
	database: Database,
	{ app, state, email }: SubscriptionFilters,
	{ limit, beforePk }: Span,
): Promise<readonly OwnedSubscription[]> {
	const { queries } = database;
	const { appPk, connectionPk, endedMs, pk } = subscriptions;
	const ofApp = queries
		.select({ pk: apps.pk })
		.from(apps)
		.where(eq(apps.id, app ?? ""));
	const prefix = foldEmail(email ?? "");
	const payers = queries
		.select({ pk: connections.pk })
		.from(connections)
		.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
		.where(sql`substr(${accounts.emailNorm}, 1, length(${prefix})) = ${prefix}`);
	const where = and(
		olderThan(pk, beforePk),
		app === undefined ? undefined : inArray(appPk, ofApp),
		email === undefined ? undefined : inArray(connectionPk, payers),
		state === undefined ? undefined : state === "ended" ? isNotNull(endedMs) : isNull(endedMs),
	);
	return await toOwned(database, await selectSubscriptions(database, { where, order: [desc(pk)], limit }));
}

/** The processor's id of an invoice. */
export async function findInvoiceRef(
	{ queries, read }: Database,
	subscriptionPk: number,
	invoiceId: string,
): Promise<string | undefined> {
	const one = and(eq(invoices.subscriptionPk, subscriptionPk), eq(invoices.id, invoiceId));
	const [row] = await read(() => queries.select({ ref: invoices.ref }).from(invoices).where(one));
	return row?.ref;
}

/** No limit is needed: a user has a handful. */
const EVERY = 10_000;

export async function listLatest(
	database: Database,
	appPk: number,
	userIds: readonly string[],
): Promise<ReadonlyMap<string, Subscription>> {
	if (userIds.length === 0) return new Map();
	// The plus sign keeps SQLite from walking all of the App's users.
	const named = and(sql`+${connections.appPk} = ${appPk}`, inArray(connections.userId, [...userIds]));
	const users = await listUsers(database, named);
	const pks = users.map(({ pk }) => pk);
	// What they have bought from another seller is none of the App's business.
	const bought = and(inArray(subscriptions.connectionPk, pks), sql`+${subscriptions.appPk} = ${appPk}`);
	const rows = await selectSubscriptions(database, {
		where: and(bought, or(isNotNull(subscriptions.endedMs), not(isOfEarlierStorage(database)))),
		// Those that ended first come first, so that the last one found is the one that counts.
		order: [isNull(subscriptions.endedMs), asc(subscriptions.pk)],
		limit: EVERY,
	});
	const latest = new Map(rows.map((row) => [row.subscription.connectionPk, toSubscription(row)]));
	return new Map(
		users.flatMap(({ pk, userId }) => {
			const subscription = latest.get(pk);
			return subscription ? [[userId, subscription] as const] : [];
		}),
	);
}

export async function listOwnInvoices(
	{ queries, read }: Database,
	appPk: number,
	{ limit, beforePk }: Span,
): Promise<readonly Invoice[]> {
	const before = olderThan(invoices.pk, beforePk);
	const { subscriptionPk: _, ref: __, sellerPk: ___, seq: ____, ...fields } = getTableColumns(invoices);
	return await read(() =>
		queries
			.select(fields)
			.from(invoices)
			.innerJoin(subscriptions, eq(subscriptions.pk, invoices.subscriptionPk))
			.where(and(eq(subscriptions.appPk, appPk), eq(subscriptions.subject, "app"), before))
			.orderBy(desc(invoices.pk))
			.limit(limit),
	);
}

function listUsers({ queries, read }: Database, where: SQL | undefined) {
	const { pk, userId } = connections;
	return read(() => queries.select({ pk, userId }).from(connections).where(where));
}

/** Adds invoices and, where there is one, the user. */
async function toOwned(database: Database, rows: readonly SubscriptionRow[]): Promise<readonly OwnedSubscription[]> {
	const { queries, read } = database;
	const pks = rows.map(({ subscription }) => subscription.pk);
	const connectionPks = rows.flatMap(({ subscription }) => subscription.connectionPk ?? []);
	const ofThese = inArray(invoices.subscriptionPk, pks);
	const [found, users] = await Promise.all([
		read(() => queries.select().from(invoices).where(ofThese).orderBy(asc(invoices.pk))),
		listUsers(database, inArray(connections.pk, connectionPks)),
	]);
	const userIds = new Map(users.map(({ pk, userId }) => [pk, userId]));
	return rows.map((row) => ({
		...toSubscription(row),
		userId: userIds.get(row.subscription.connectionPk ?? 0) ?? null,
		invoices: found.filter(({ subscriptionPk }) => subscriptionPk === row.subscription.pk),
	}));
}
