import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { jobs } from "@svc/base/database/schema/work/jobs";
import type { Step } from "@svc/base/database/step";
import type { JobPayloads, NewJob } from "@svc/jobs/jobs";
import { endEntry, jobEntry } from "@svc/jobs/jobs-store";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, sql } from "drizzle-orm";

type DeedJob = NewJob<"billing.deed">;

/** What operators have ordered of the payment processor, from the order to the mail that tells of it. */
export function operatorDeedStore({ queries, read, write }: Database) {
	return {
		/**
		 * Keeps an order, with its entry in the audit, before the processor is asked for anything; a job does it from `dueMs` on, whatever
		 * becomes of the request. False where another one with the same `dedupe` is under way.
		 */
		async begin(job: DeedJob, dueMs: number, entry: Parameters<typeof auditBy>[1], by: Actor): Promise<boolean> {
			const { refused } = await write([
				{ run: jobEntry(job, by.nowMs, dueMs), guard: "under_way" },
				{ run: auditBy(by, entry) },
			] satisfies readonly Step<"under_way">[]);
			return refused === undefined;
		},
		/** The order that is under way. */
		async findUnderWay(dedupe: string): Promise<Pick<DeedJob, "id" | "payload"> | undefined> {
			// Literals, so that the partial index applies.
			const same = and(eq(jobs.dedupe, dedupe), sql`${jobs.state} IN ('queued', 'running')`);
			const [row] = await read(() => queries.select({ id: jobs.id, payload: jobs.payload }).from(jobs).where(same));
			return row && { id: row.id, payload: JSON.parse(row.payload) as JobPayloads["billing.deed"] };
		},
		/** Ends an order, with the mails that tell of it: once, however many have done it at the same time. */
		async end(jobId: string, mails: readonly NewMail[], nowMs: number): Promise<void> {
			await write([
				{ run: endEntry(jobId, nowMs), guard: "over" },
				...mails.map((mail) => ({ run: mailEntry(mail, nowMs) })),
			] satisfies readonly Step<"over">[]);
		},
	};
}
