import type { SQLWrapper } from "drizzle-orm";
import { Failure } from "../failure.ts";

/**
 * By the id of a request that holds a claim: the statement that marks the claim, and must touch exactly one row. It is committed with
 * the change of that request, which is the one that the audit has under its id.
 */
export type Claims = Map<string, SQLWrapper>;

/** The refusal of a change whose request has lost its claim to another one. */
export const CLAIM_LOST = "claim lost";

const AUDITED = /^insert into "audit"/i;

interface Compiled {
	readonly sql: string;
	readonly args: readonly unknown[];
}

/** The claim of the request whose change these statements are; undefined for every other change. */
export function claimOf(statements: readonly Compiled[], claims: Claims): SQLWrapper | undefined {
	if (claims.size === 0) return undefined;
	for (const { sql, args } of statements) {
		if (!AUDITED.test(sql)) continue;
		const holder = args.find((arg) => typeof arg === "string" && claims.has(arg));
		if (typeof holder === "string") return claims.get(holder);
	}
	return undefined;
}

export function claimLost(cause: unknown): Failure {
	return new Failure("idempotency_key_in_progress", undefined, { cause, retryAfterSeconds: 2 });
}
