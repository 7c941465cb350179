import type { SQLWrapper } from "drizzle-orm";
import { Failure } from "../failure.ts";
import { isFilled } from "./write/kept-statements.ts";

/**
 * By the id of a request that holds a claim: the statement that marks the claim, and must touch exactly one row. It is committed with
 * the change of that request, which is the one that says so ({@link ofRequest}).
 */
export type Claims = Map<string, SQLWrapper>;

/** The refusal of a change whose request has lost its claim to another one. */
export const CLAIM_LOST = "claim lost";

/** A statement of the change that a request has asked for. */
export interface OfRequest extends SQLWrapper {
	/** The id of the request; null where none has asked. */
	readonly request: string | null;
}

/**
 * Says whose change a statement belongs to: the whole change is kept together with the claim that this request holds. What tells the audit of a change says so by
 * itself (`audit.ts`); a change of a POST without an entry there must say it.
 */
export function ofRequest(request: string | null, statement: SQLWrapper): OfRequest {
	return isFilled(statement) ? { ...statement, request } : { getSQL: () => statement.getSQL(), request };
}

/** The claim of the request whose change these steps are; undefined for every other change. */
export function claimOf(steps: readonly { readonly run: SQLWrapper | OfRequest }[], claims: Claims) {
	if (claims.size === 0) return undefined;
	for (const { run } of steps) {
		const claim = "request" in run && run.request !== null ? claims.get(run.request) : undefined;
		if (claim) return claim;
	}
	return undefined;
}

export function claimLost(cause: unknown): Failure {
	return new Failure("idempotency_key_in_progress", undefined, { cause, retryAfterSeconds: 2 });
}
