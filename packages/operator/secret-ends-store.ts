import type { Database } from "@svc/base/database/client";
import { addressChanges, securityLetters } from "@svc/base/database/schema/people";
import { uploadTickets } from "@svc/base/database/schema/tickets";
import { updateStep } from "@svc/base/database/statements";
import { and, gt, isNull, type SQL, sql } from "drizzle-orm";

/** What lives that was made with the deployment's secret, besides sign-in codes of minutes. */
export interface MadeThings {
	/** Open upload tickets. */
	readonly tickets: number;
	/** Links in letters that can still be used. */
	readonly links: number;
}

export async function countMadeThings({ queries, read }: Database, nowMs: number): Promise<MadeThings> {
	const letters = and(gt(securityLetters.untilMs, nowMs), isNull(securityLetters.usedMs));
	const changes = and(gt(addressChanges.untilMs, nowMs), isNull(addressChanges.undoneMs));
	const [row] = await read(() =>
		queries.values<[number, number]>(sql`SELECT
			(SELECT count(*) FROM ${uploadTickets} WHERE ${isOpenAt(nowMs)}),
			(SELECT count(*) FROM ${securityLetters} WHERE ${letters})
				+ (SELECT count(*) FROM ${addressChanges} WHERE ${changes})`),
	);
	return { tickets: row?.[0] ?? 0, links: row?.[1] ?? 0 };
}

/** Cancels every open ticket: whoever has the secret that they were made with can make their addresses. */
export async function endTickets({ write }: Database, nowMs: number): Promise<void> {
	await write([updateStep(uploadTickets, { state: "cancelled", endedMs: nowMs }, isOpenAt(nowMs))]);
}

function isOpenAt(nowMs: number): SQL {
	return sql`${uploadTickets.state} = 'open' AND ${uploadTickets.endedMs} > ${nowMs}`;
}
