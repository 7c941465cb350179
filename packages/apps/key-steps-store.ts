import type { Actor } from "@svc/base/actor";
import type { Step } from "@svc/base/database/client";
import { type SQL, sql } from "drizzle-orm";

/** Revokes all keys that a condition on `keys` holds for, for good, and tells of each. */
export function revokeSteps(where: SQL, reason: string, { actor, requestId, nowMs }: Actor): readonly Step[] {
	return [
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes, request_id)
				SELECT ${nowMs}, ${actor}, app_pk, 'key.revoked', id, json_object('reason', ${reason}), ${requestId}
				FROM keys WHERE revoked_ms IS NULL AND ${where}`,
		},
		{
			run: sql`UPDATE keys SET revoked_ms = ${nowMs}, revoked_by = ${actor}, revoke_reason = ${reason}
				WHERE revoked_ms IS NULL AND ${where}`,
		},
	];
}

/** The condition that a key of `keys` still works, as far as the key itself is concerned. */
export function isLive(nowMs: number): SQL {
	return sql`(keys.revoked_ms IS NULL AND (keys.expires_ms IS NULL OR keys.expires_ms > ${nowMs}))`;
}
