import { isActive } from "@svc/apps/authority-store";
import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Actor } from "@svc/base/actor";
import { ofRequest } from "@svc/base/database/request-claims";
import { accounts } from "@svc/base/database/schema/accounts";
import { appUsage, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { audit } from "@svc/base/database/schema/service";
import { columns, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { CONNECTION_COLUMNS, STORAGE_COLUMNS } from "./connections-store.ts";
import type { NewOwnStorage } from "./user-key.ts";

/**
 * Makes a person's own storage, unless they have one; of concurrent calls the first makes it. It belongs to the service's own App, and
 * its owner is connected to that like a user, so that all that ends a connection ends this one too.
 */
export function openSteps(accountPk: number, opening: NewOwnStorage, by: Actor): readonly Step[] {
	const { storageId, connectionId, userId, consentVersion } = opening;
	// Null where a storage existed already: then the following steps do nothing.
	const made = sql<number>`(SELECT ${storages.pk} FROM ${storages} WHERE ${storages.id} = ${storageId})`;
	const email = sql<string>`(SELECT ${accounts.emailNorm} FROM ${accounts} WHERE ${accounts.pk} = ${accountPk})`;
	const isMade = sql`${made} IS NOT NULL`;
	return [
		{ run: insertStorage(accountPk, opening, by.nowMs) },
		// The person had a storage before: each person has one connection to an App, over all times.
		updateStep(
			connections,
			{ storagePk: made, state: "connected", endedMs: null, emailAtConsent: email, consentVersion },
			and(eq(connections.appPk, OWN_APP_PK), eq(connections.accountPk, accountPk), isMade),
		),
		{
			run: sql`INSERT INTO ${connections} (${CONNECTION_COLUMNS})
				SELECT ${connectionId}, ${userId}, ${storages.appPk}, ${storages.accountPk}, ${storages.pk}, 'connected', ${email},
					${consentVersion}, ${by.nowMs}
				FROM ${storages} WHERE ${storages.id} = ${storageId}
					AND NOT EXISTS (SELECT 1 FROM ${connections} WHERE ${connections.storagePk} = ${storages.pk})`,
		},
		updateStep(appUsage, { users: sql`${appUsage.users} + 1` }, and(eq(appUsage.appPk, OWN_APP_PK), isMade)),
		{
			run: ofRequest(
				by.requestId,
				sql`INSERT INTO ${audit}
					(${columns(audit.atMs, audit.actor, audit.appPk, audit.event, audit.target, audit.requestId)})
				SELECT ${by.nowMs}, ${by.actor}, ${storages.appPk}, 'storage.created', ${storages.id}, ${by.requestId}
				FROM ${storages} WHERE ${storages.id} = ${storageId}`,
			),
		},
	];
}

function insertStorage(accountPk: number, { storageId, teamHash }: NewOwnStorage, nowMs: number): SQL {
	const pool = alias(storages, "pool");
	const theirs = alias(storages, "theirs");
	return sql`INSERT INTO ${storages} (${STORAGE_COLUMNS}, ${columns(storages.tier, storages.publicByDefault)})
		SELECT ${storageId}, ${pool.appPk}, 'personal', ${accountPk}, ${teamHash}, 'active', ${nowMs}, 'free', 1
		FROM ${storages} AS ${pool} WHERE ${pool.kind} = 'anonymous'
			AND ${isActive(accountPk)}
			AND NOT EXISTS (SELECT 1 FROM ${storages} AS ${theirs}
				WHERE ${theirs.accountPk} = ${accountPk} AND ${theirs.kind} = 'personal' AND ${theirs.state} = 'active')`;
}
