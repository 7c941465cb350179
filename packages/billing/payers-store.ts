import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Payer } from "./billing-card.ts";

export interface PayerStore {
	/** Whoever is connected and has this storage. */
	findByStorage(storagePk: number): Promise<Payer | undefined>;
	/** Whoever is connected to this App. */
	findByAccount(appPk: number, accountPk: number): Promise<Payer | undefined>;
	/** Connected or not any more. */
	findByConnection(connectionPk: number): Promise<Payer | undefined>;
	/** Whether any of these has had a trial in this App. */
	hadTrial(appPk: number, macs: readonly Uint8Array[]): Promise<boolean>;
}

const sellers = alias(apps, "sellers");

/** `sellsTiers`: whether it is the service that sells, storage by storage, rather than each App. */
export function payerStore(
	{ queries, read }: Database,
	{ sellsTiers }: { readonly sellsTiers: boolean } = { sellsTiers: false },
): PayerStore {
	const seller = sellsTiers ? sql`${sellers.pk} = ${OWN_APP_PK}` : eq(sellers.pk, connections.appPk);
	const selling = sellsTiers ? sql<boolean>`1`.mapWith(Boolean) : sellers.selling;

	async function findOne(where: SQL | undefined) {
		const [row] = await read(() =>
			queries
				.select({
					connectionPk: connections.pk,
					connectionId: connections.id,
					accountId: accounts.id,
					email: accounts.email,
					emailNorm: accounts.emailNorm,
					app: { pk: apps.pk, id: apps.id, name: apps.name },
					seller: { pk: sellers.pk, name: sellers.name, selling },
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
		findByStorage: (storagePk) => findOne(and(eq(connections.storagePk, storagePk), connected)),
		findByAccount: (appPk, accountPk) =>
			findOne(and(eq(connections.appPk, appPk), eq(connections.accountPk, accountPk), connected)),
		findByConnection: (connectionPk) => findOne(eq(connections.pk, connectionPk)),
		async hadTrial(appPk, macs) {
			const any = sql.join(
				macs.map((mac) => sql`${mac}`),
				sql`, `,
			);
			const rows = await read(() =>
				queries.values(sql`SELECT 1 FROM trial_grants WHERE app_pk = ${appPk} AND email_mac IN (${any}) LIMIT 1`),
			);
			return rows.length > 0;
		},
	};
}
