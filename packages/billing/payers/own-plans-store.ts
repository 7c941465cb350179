import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Span } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { apps, members } from "@svc/base/database/schema/apps";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { subscriptions, unsoldSubscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { olderThan } from "@svc/base/database/statements";
import { and, desc, eq, getTableColumns, inArray, notExists, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { OwnInvoice, OwnPlan } from "../subscription.ts";
import { sellerOf } from "../subscriptions/subscription-lists-store.ts";
import { type SubscriptionRow, selectSubscriptions, toSubscription } from "../subscriptions/subscription-rows-store.ts";

/* What one person pays for, whatever became of the App. */

export function ownPlanStore(database: Database) {
	const { read, queries } = database;

	async function select(where: SQL | undefined, limit: number): Promise<readonly OwnPlan[]> {
		const rows = await selectSubscriptions(database, { where, order: [desc(subscriptions.pk)], limit });
		const places = await findPlaces(database, rows);
		return rows.map((row) => toOwnPlan(row, places));
	}

	async function selectInvoices(where: SQL | undefined, limit: number) {
		const { ref: _, sellerPk: __, seq: ___, ...fields } = getTableColumns(invoices);
		return await read(() => queries.select(fields).from(invoices).where(where).orderBy(desc(invoices.pk)).limit(limit));
	}

	return {
		/** Lists what an account pays or has paid for, newest first. */
		list: (accountPk: number, { limit, beforePk }: Span) =>
			select(and(ofPayer(database, accountPk), olderThan(subscriptions.pk, beforePk)), limit),
		async find(accountPk: number, id: string): Promise<OwnPlan | undefined> {
			return (await select(and(ofPayer(database, accountPk), eq(subscriptions.id, id)), 1))[0];
		},
		/** The invoices of one subscription, newest first. */
		listInvoices: (subscriptionPk: number, { limit, beforePk }: Span) =>
			selectInvoices(and(eq(invoices.subscriptionPk, subscriptionPk), olderThan(invoices.pk, beforePk)), limit),
		async findInvoice(accountPk: number, id: string): Promise<OwnInvoice | undefined> {
			const [row] = await selectInvoices(eq(invoices.id, id), 1);
			if (!row) return undefined;
			const one = and(ofPayer(database, accountPk), eq(subscriptions.pk, row.subscriptionPk));
			const [plan] = await select(one, 1);
			return plan && { ...row, plan };
		},
	};
}

/** An App's own plan is its Owner's; of an App that has none any more, that of whoever was it last. */
function ofPayer({ queries }: Database, accountPk: number): SQL | undefined {
	const { subject, connectionPk, appPk, payerPk } = subscriptions;
	const own = queries.select({ pk: connections.pk }).from(connections).where(eq(connections.accountPk, accountPk));
	const isOwner = eq(members.role, "owner");
	const owned = queries
		.select({ pk: members.appPk })
		.from(members)
		.where(and(eq(members.accountPk, accountPk), isOwner));
	const anybody = queries
		.select({ pk: members.appPk })
		.from(members)
		.where(and(eq(members.appPk, appPk), isOwner));
	const left = and(eq(payerPk, accountPk), notExists(anybody));
	return or(
		and(eq(subject, "user"), inArray(connectionPk, own)),
		and(eq(subject, "app"), or(inArray(appPk, owned), left)),
	);
}

interface AppPlace {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	/** The service's own: what people have in it is in no App. */
	readonly isOwnApp: boolean;
	readonly suspended: boolean;
	readonly deleted: boolean;
}

interface Places {
	readonly apps: ReadonlyMap<number, AppPlace>;
	/** The number of the App of each connection. */
	readonly connections: ReadonlyMap<number, number>;
	/** The numbers of the subscriptions that end because they are not sold. */
	readonly unsold: ReadonlySet<number>;
}

const placed = alias(apps, "placed");

async function findPlaces({ queries, read }: Database, rows: readonly SubscriptionRow[]): Promise<Places> {
	const connectionPks = rows.flatMap(({ subscription }) => subscription.connectionPk ?? []);
	const found = await read(() =>
		queries
			.select({ pk: connections.pk, appPk: connections.appPk })
			.from(connections)
			.where(inArray(connections.pk, connectionPks)),
	);
	const appPks = [...rows.map(({ subscription }) => subscription.appPk), ...found.map(({ appPk }) => appPk)];
	const shown = await read(() =>
		queries
			.select({
				pk: placed.pk,
				id: placed.id,
				name: placed.name,
				isOwnApp: sql<boolean>`${placed.pk} IS ${OWN_APP_PK}`.mapWith(Boolean),
				suspended: sql<boolean>`${placed.pausedMs} IS NOT NULL OR ${placed.blockedMs} IS NOT NULL`.mapWith(Boolean),
				deleted: sql<boolean>`${placed.deletingMs} IS NOT NULL`.mapWith(Boolean),
			})
			.from(placed)
			.where(inArray(placed.pk, appPks)),
	);
	const pks = rows.map(({ subscription }) => subscription.pk);
	const { subscriptionPk } = unsoldSubscriptions;
	const marked = await read(() =>
		queries.select({ pk: subscriptionPk }).from(unsoldSubscriptions).where(inArray(subscriptionPk, pks)),
	);
	return {
		unsold: new Set(marked.map(({ pk }) => pk)),
		apps: new Map(shown.map((app) => [app.pk, app])),
		connections: new Map(found.map(({ pk, appPk }) => [pk, appPk])),
	};
}

function toOwnPlan(row: SubscriptionRow, places: Places): OwnPlan {
	const subscription = toSubscription(row);
	const { appPk, connectionPk, subject, appName } = row.subscription;
	const app = places.apps.get(places.connections.get(connectionPk ?? 0) ?? appPk);
	if (!app) throw new Error("A subscription without its App.");
	const name = app.name === app.id ? appName : app.name;
	return {
		...subscription,
		seller: sellerOf(row, places.apps.get(appPk)),
		storage: subject === "app" ? "app" : app.isOwnApp ? "personal" : "user",
		app: app.isOwnApp ? null : { id: app.id, name, suspended: app.suspended, deleted: app.deleted },
		endsUnsold: places.unsold.has(subscription.pk),
	};
}
