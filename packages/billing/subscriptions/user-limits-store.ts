import { apps } from "@svc/base/database/schema/apps";
import { plans } from "@svc/base/database/schema/billing/plans";
import { asText } from "@svc/base/database/statements";
import type { UserLimitsQuery } from "@svc/images/usage/user-limits-store";
import { sql } from "drizzle-orm";
import { accessRows } from "./access-rows-store.ts";

/**
 * What the plan that a user has lets their storage hold; without one, what the App says for those. Granted, trialing, active and grace are having it.
 * @param graceMs how long a subscription goes on while its payment fails
 */
export function userLimits(graceMs: number): UserLimitsQuery {
	const now = sql.raw("(SELECT now_ms FROM asked)");
	const which = sql.raw("person.storage_pk = (SELECT storage_pk FROM asked)");
	const access = accessRows(which, graceMs, { paidAtMs: now, givenAtMs: now });
	const limits = asText(sql`SELECT had.key AS plan_key, had.name AS plan_name,
		iif(had.pk IS NULL, seller.free_images_limit, had.images_limit) AS images,
		iif(had.pk IS NULL, seller.free_bytes_limit, had.bytes_limit) AS bytes
		FROM (${access}) AS access
		JOIN ${apps} AS seller ON seller.pk = access.app_pk
		LEFT JOIN ${plans} AS had ON had.pk = iif(access.paid = 'inactive', access.given_pk, access.plan_pk)`);
	return (storagePk, nowMs) => sql`WITH asked AS (SELECT ${storagePk} AS storage_pk, ${nowMs} AS now_ms) ${limits}`;
}
