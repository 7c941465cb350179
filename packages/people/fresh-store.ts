import type { Actor } from "@svc/base/actor";
import { sessions } from "@svc/base/database/schema/people";
import { rowCondition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { sql } from "drizzle-orm";

/**
 * Refuses a change by a session that is not fresh. It comes last among the steps that may refuse, so that what could not be done anyhow
 * is said first: nobody fetches a code for nothing.
 */
export function freshSteps({ session, nowMs }: Actor): readonly Step<"stale">[] {
	if (session === undefined) return [];
	return [rowCondition(sessions.parent, sql`${sessions.id} = ${session} AND ${sessions.freshMs} > ${nowMs}`, "stale")];
}
