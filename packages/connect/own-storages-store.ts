import { COMMONS_PK } from "@svc/apps/commons-store";
import type { By } from "@svc/base/actor";
import type { Step } from "@svc/base/database/client";
import { sql } from "drizzle-orm";
import type { NewOwnStorage } from "./user-keys.ts";

/**
 * Makes a person's own storage, unless they have one: of many at once, the first. It belongs to the service's own App, and its owner is
 * connected to that like a user, so that all that ends a connection ends this one too.
 */
export function openSteps(accountPk: number, opening: NewOwnStorage, by: By): Step[] {
	const { storageId, teamHash, connectionId, userId, consentVersion } = opening;
	// Null where there was one already: what follows then does nothing.
	const made = sql`(SELECT pk FROM storages WHERE id = ${storageId})`;
	const email = sql`(SELECT email_norm FROM accounts WHERE pk = ${accountPk})`;
	return [
		{
			run: sql`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms, tier, public_by_default)
				SELECT ${storageId}, pool.app_pk, 'personal', ${accountPk}, ${teamHash}, 'active', ${by.nowMs}, 'free', 1
				FROM storages AS pool WHERE pool.kind = 'anonymous'
					AND EXISTS (SELECT 1 FROM accounts WHERE pk = ${accountPk} AND status = 'active')
					AND NOT EXISTS (SELECT 1 FROM storages AS theirs
						WHERE theirs.account_pk = ${accountPk} AND theirs.kind = 'personal' AND theirs.state = 'active')`,
		},
		{
			// Of somebody who had one before: each person has one connection to an App, over all times.
			run: sql`UPDATE connections SET storage_pk = ${made}, state = 'connected', ended_ms = NULL,
					email_at_consent = ${email}, consent_version = ${consentVersion}
				WHERE app_pk = ${COMMONS_PK} AND account_pk = ${accountPk} AND ${made} IS NOT NULL`,
		},
		{
			run: sql`INSERT INTO connections (id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent,
					consent_version, created_ms)
				SELECT ${connectionId}, ${userId}, app_pk, account_pk, pk, 'connected', ${email}, ${consentVersion}, ${by.nowMs}
				FROM storages WHERE id = ${storageId}
					AND NOT EXISTS (SELECT 1 FROM connections WHERE connections.storage_pk = storages.pk)`,
		},
		{ run: sql`UPDATE app_usage SET users = users + 1 WHERE app_pk = ${COMMONS_PK} AND ${made} IS NOT NULL` },
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, request_id)
				SELECT ${by.nowMs}, ${by.actor}, app_pk, 'storage.created', id, ${by.requestId} FROM storages WHERE id = ${storageId}`,
		},
	];
}
