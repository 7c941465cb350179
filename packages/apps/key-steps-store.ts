import type { Actor } from "@svc/base/actor";
import { auditEach } from "@svc/base/database/audit";
import { keys } from "@svc/base/database/schema/keys";
import { statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { type SQL, sql } from "drizzle-orm";
import { keysRevoked } from "./key-events-store.ts";

/** Revokes all keys that a condition on `keys` holds for, for good, and audits each. */
export function revokeSteps(where: SQL, reason: string, { actor, requestId, nowMs }: Actor): readonly Step[] {
	const unrevoked = sql`${keys.revokedMs} IS NULL AND ${where}`;
	const entry = { event: "key.revoked", appPk: keys.appPk, target: keys.id, changes: { reason } };
	const revoke = statements.update(keys).set({ revokedMs: nowMs, revokedBy: actor, revokeReason: reason });
	return [
		{ run: auditEach({ atMs: nowMs, actor, requestId, ...entry }, sql`FROM ${keys} WHERE ${unrevoked}`) },
		keysRevoked({ nowMs, requestId }, unrevoked, reason),
		{ run: revoke.where(unrevoked) },
	];
}

/** The condition that a key of `keys` still works, as far as the key itself is concerned. */
export function isLive(nowMs: number): SQL {
	return sql`(${keys.revokedMs} IS NULL AND (${keys.expiresMs} IS NULL OR ${keys.expiresMs} > ${nowMs}))`;
}
