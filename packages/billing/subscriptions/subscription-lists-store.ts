import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Span } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { olderThan } from "@svc/base/database/statements";
import { foldEmail } from "@svc/base/email";
import { and, asc, desc, eq, getTableColumns, inArray, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import type { Invoice, OwnedSubscription, Seller, Subscription } from "../subscription.ts";
import {
	isOfEarlierStorage,
	type SubscriptionRow,
	selectSubscriptions,
	toSubscription,
} from "./subscription-rows-store.ts";

/* Lists of subscriptions for those who read them: an App's team, and operators. */

/** What the App sold; what it buys for itself is sold by the service. */
function soldBy(appPk: number): SQL | undefined {
	return and(eq(subscriptions.appPk, appPk), eq(subscriptions.subject, "user"));
}

export async function listSold(
	database: Database,
	appPk: number,
	{ limit, beforePk }: Span,
): Promise<readonly OwnedSubscription[]> {
	const where = and(soldBy(appPk), olderThan(subscriptions.pk, beforePk));
	const rows = await selectSubscriptions(database, { where, order: [desc(subscriptions.pk)], limit });
	return await toOwned(database, rows);
}

export async function findSold(database: Database, appPk: number, id: string): Promise<OwnedSubscription | undefined> {
	return await findOne(database, and(soldBy(appPk), eq(subscriptions.id, id)));
}

export async function findOwned(database: Database, id: string): Promise<OwnedSubscription | undefined> {
	return await findOne(database, eq(subscriptions.id, id));
}

async function findOne(database: Database, where: SQL | undefined): Promise<OwnedSubscription | undefined> {
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

/** Adds who sold it, invoices and, where there is one, the user. */
async function toOwned(database: Database, rows: readonly SubscriptionRow[]): Promise<readonly OwnedSubscription[]> {
	const { queries, read } = database;
	const pks = rows.map(({ subscription }) => subscription.pk);
	const connectionPks = rows.flatMap(({ subscription }) => subscription.connectionPk ?? []);
	const ofThese = inArray(invoices.subscriptionPk, pks);
	const appPks = [...new Set(rows.map(({ subscription }) => subscription.appPk))];
	const { pk, id, name } = apps;
	const isOwnApp = sql<boolean>`${pk} IS ${OWN_APP_PK}`.mapWith(Boolean);
	const payer = { pk: connections.pk, userId: connections.userId, email: accounts.email };
	// Who has left an App is known there by their id alone.
	const isPayer = and(eq(accounts.pk, connections.accountPk), eq(connections.state, "connected"));
	const ofPayers = inArray(connections.pk, connectionPks);
	const [found, users, sellers] = await Promise.all([
		read(() => queries.select().from(invoices).where(ofThese).orderBy(asc(invoices.pk))),
		read(() => queries.select(payer).from(connections).leftJoin(accounts, isPayer).where(ofPayers)),
		read(() => queries.select({ pk, id, name, isOwnApp }).from(apps).where(inArray(pk, appPks))),
	]);
	const payers = new Map(users.map((one) => [one.pk, one]));
	const payerOf = ({ subscription: { connectionPk } }: SubscriptionRow) => payers.get(connectionPk ?? 0);
	return rows.map((row) => ({
		...toSubscription(row),
		seller: sellerOf(
			row,
			sellers.find((app) => app.pk === row.subscription.appPk),
		),
		userId: payerOf(row)?.userId ?? null,
		email: payerOf(row)?.email ?? null,
		invoices: found.filter(({ subscriptionPk }) => subscriptionPk === row.subscription.pk),
	}));
}

/** Who sold a subscription, from the App of its row, which is the service's own where that sells to people. */
export function sellerOf(
	{ subscription: { subject, appName } }: SubscriptionRow,
	app: { readonly id: string; readonly name: string; readonly isOwnApp: boolean } | undefined,
): Seller {
	if (!app) throw new Error("A subscription without its App.");
	if (subject === "app" || app.isOwnApp) return { kind: "service" };
	// A deleted App has lost its name; what was bought in it has kept it.
	return { kind: "app", id: app.id, name: app.name === app.id ? appName : app.name };
}
