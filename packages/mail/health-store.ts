import type { Database } from "@svc/base/database/client";
import { emails } from "@svc/base/database/schema/mail";
import { partHealth } from "@svc/base/database/schema/service";
import { statements } from "@svc/base/database/statements";
import { eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { MAIL_CLASSES, type MailClass } from "./mail.ts";

const PART = "mail";

/** What came of a try, as far as it says whether mail works. */
export type TryOutcome = { readonly worked: true } | { readonly worked: false; readonly failure: string };

export interface MailRun {
	/** Tries since the last one that worked. */
	readonly failures: number;
	readonly lastSentMs: number | null;
	/** Of the last try that failed, whatever came after it. */
	readonly lastFailure: string | null;
}

/** What waits to be sent. */
export interface WaitingMails {
	readonly counts: Readonly<Record<MailClass, number>>;
	/** When the oldest was written; null where none waits. */
	readonly oldestMs: number | null;
	readonly oldestCodeMs: number | null;
}

export function mailHealthStore({ queries, read }: Database) {
	return {
		async findRun(): Promise<MailRun> {
			const { failures, workedMs, failure } = partHealth;
			const fields = { failures, lastSentMs: workedMs, lastFailure: failure };
			const [row] = await read(() => queries.select(fields).from(partHealth).where(eq(partHealth.part, PART)));
			return row ?? { failures: 0, lastSentMs: null, lastFailure: null };
		},
		async countWaiting(): Promise<WaitingMails> {
			const rows = await read(() =>
				queries
					.select({ of: emails.class, count: sql<number>`count(*)`, oldestMs: sql<number>`min(${emails.createdMs})` })
					.from(emails)
					.where(isNotNull(emails.nextMs))
					.groupBy(emails.class),
			);
			const byClass = new Map(rows.map((row) => [row.of, row]));
			const counts = Object.fromEntries(MAIL_CLASSES.map((of) => [of, byClass.get(of)?.count ?? 0]));
			return {
				counts: counts as Record<MailClass, number>,
				oldestMs: rows.length === 0 ? null : Math.min(...rows.map((row) => row.oldestMs)),
				oldestCodeMs: byClass.get("code")?.oldestMs ?? null,
			};
		},
	};
}

/** Belongs in the batch that ends the try. */
export function tryEntry(outcome: TryOutcome, nowMs: number): SQL {
	const set = outcome.worked
		? { failures: 0, workedMs: nowMs }
		: { failures: sql`${partHealth.failures} + 1`, failure: outcome.failure };
	const first = outcome.worked ? set : { failures: 1, failure: outcome.failure };
	return statements
		.insert(partHealth)
		.values({ part: PART, ...first })
		.onConflictDoUpdate({ target: partHealth.part, set })
		.getSQL();
}
