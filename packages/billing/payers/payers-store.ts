import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps, members } from "@svc/base/database/schema/apps";
import { trialGrants } from "@svc/base/database/schema/billing/plans";
import { connections } from "@svc/base/database/schema/connect";
import type { TaxBehavior } from "@svc/base/enumerations";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Recipient } from "../mails/billing-mails.ts";
import type { Payer } from "./payers.ts";

export type PayerStore = ReturnType<typeof payerStore>;

const sellers = alias(apps, "sellers");

/** Who sells to the users of an App: the App itself, or the service, which does wherever payments are taken. */
export type SellerKind = "app" | "service";

const appFields = {
	pk: apps.pk,
	id: apps.id,
	name: apps.name,
	suspended: sql<boolean>`(${apps.pausedMs} IS NOT NULL OR ${apps.blockedMs} IS NOT NULL)`.mapWith(Boolean),
	/** The first of the two. */
	suspendedMs: sql<
		number | null
	>`coalesce(min(${apps.pausedMs}, ${apps.blockedMs}), ${apps.pausedMs}, ${apps.blockedMs})`,
	deleting: sql<boolean>`${apps.deletingMs} IS NOT NULL`.mapWith(Boolean),
};

export function payerStore(database: Database, kind: SellerKind, takesPayments: boolean) {
	const { queries, read } = database;
	const seller = { app: eq(sellers.pk, connections.appPk), service: sql`${sellers.pk} = ${OWN_APP_PK}` }[kind];
	const always = sql<boolean>`${takesPayments ? 1 : 0}`.mapWith(Boolean);
	const selling = { app: sellers.selling, service: always }[kind];

	const taxBehavior = sql<TaxBehavior | null>`iif(${sellers.taxMode} = 'automatic', ${sellers.taxBehavior}, NULL)`;

	async function findOne(where: SQL | undefined): Promise<Payer | undefined> {
		const [row] = await read(() =>
			queries
				.select({
					connectionPk: connections.pk,
					connectionId: connections.id,
					accountId: accounts.id,
					email: accounts.email,
					emailNorm: accounts.emailNorm,
					app: appFields,
					seller: { pk: sellers.pk, name: sellers.name, selling, taxBehavior, promotionCodes: sellers.promotionCodes },
				})
				.from(connections)
				.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
				.innerJoin(apps, eq(apps.pk, connections.appPk))
				.innerJoin(sellers, seller)
				.where(where),
		);
		return row;
	}

	const connected = sql`${connections.state} = 'connected'`;
	return {
		/** The person who is connected and has this storage. */
		findByStorage: (storagePk: number) => findOne(and(eq(connections.storagePk, storagePk), connected)),
		/** The person with this account, as long as they are connected to this App. */
		findByAccount: (appPk: number, accountPk: number) =>
			findOne(and(eq(connections.appPk, appPk), eq(connections.accountPk, accountPk), connected)),
		/** The person of this connection, connected or not any more. */
		findByConnection: (connectionPk: number) => findOne(eq(connections.pk, connectionPk)),
		/** Who owns an App, and pays its own plan. */
		async findOwner(appPk: number): Promise<Recipient | undefined> {
			const owner = and(eq(members.appPk, appPk), eq(members.role, "owner"));
			const [row] = await read(() =>
				queries
					.select({ email: accounts.email, app: appFields })
					.from(members)
					.innerJoin(accounts, eq(accounts.pk, members.accountPk))
					.innerJoin(apps, eq(apps.pk, members.appPk))
					.where(owner),
			);
			return row;
		},
		/** Who paid an App's own plan last, where the App has no Owner any more: it is deleted. */
		async findFormerOwner(appPk: number, accountPk: number): Promise<Recipient | undefined> {
			const theirs = and(eq(accounts.pk, accountPk), eq(accounts.status, "active"));
			const [row] = await read(() =>
				queries
					.select({ email: accounts.email, app: appFields })
					.from(accounts)
					.innerJoin(apps, eq(apps.pk, appPk))
					.where(theirs),
			);
			return row;
		},
		/** The addresses of those who run an App beside its Owner. */
		listAdminEmails: listAdminEmails.bind(undefined, database),
		/** The addresses of those who answer for what an App sells: its Owner, and all operators who can sign in. */
		listWatchers: listWatchers.bind(undefined, database),
		/** Whether one of these digests has had a trial in this App. */
		hadTrial: hadTrial.bind(undefined, database),
	};
}

async function listAdminEmails({ queries, read }: Database, appPk: number): Promise<readonly string[]> {
	const admins = and(eq(members.appPk, appPk), eq(members.role, "admin"), eq(accounts.status, "active"));
	const rows = await read(() =>
		queries
			.select({ email: accounts.email })
			.from(members)
			.innerJoin(accounts, eq(accounts.pk, members.accountPk))
			.where(admins),
	);
	return rows.map(({ email }) => email);
}

async function listWatchers({ queries, read }: Database, appPk: number): Promise<readonly string[]> {
	const isOwner = and(eq(members.appPk, appPk), eq(members.role, "owner"));
	const owner = queries.select({ pk: members.accountPk }).from(members).where(isOwner);
	const watchers = owner.union(queries.select({ pk: operators.accountPk }).from(operators));
	const active = and(eq(accounts.status, "active"), inArray(accounts.pk, watchers));
	const rows = await read(() => queries.select({ email: accounts.email }).from(accounts).where(active));
	return rows.map(({ email }) => email);
}

async function hadTrial({ queries, read }: Database, appPk: number, macs: readonly Uint8Array[]): Promise<boolean> {
	const any = and(eq(trialGrants.appPk, appPk), inArray(trialGrants.emailMac, [...macs]));
	const { reason } = trialGrants;
	const rows = await read(() => queries.select({ reason }).from(trialGrants).where(any).limit(1));
	return rows.length > 0;
}
