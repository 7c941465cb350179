import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { rowCondition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { BillingDeed, JobPayloads, NewJob } from "@svc/jobs/jobs";
import { endEntry, jobEntry } from "@svc/jobs/jobs-store";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, sql } from "drizzle-orm";

type DeedJob = NewJob<"billing.deed">;

interface Order {
	readonly job: DeedJob;
	/** From when on a job does it, whatever becomes of the request. */
	readonly dueMs: number;
	readonly entry: Parameters<typeof auditBy>[1];
	readonly by: Actor;
	/** Who orders it as the Owner of an App, and must still be that. */
	readonly authority: Authority | undefined;
}

/** What was ordered of the payment processor, from the order to the mail that tells of it. */
export function operatorDeedStore({ queries, read, write }: Database) {
	return {
		/**
		 * Keeps an order, with its entry in the audit, before the processor is asked for anything. Refused with `under_way` where another one
		 * with the same `dedupe` is, and with `moved` for an invoice of which more has been paid back than the order says.
		 */
		async begin(order: Order): Promise<"demoted" | "under_way" | "moved" | undefined> {
			const { job, dueMs, entry, by, authority } = order;
			const { refused } = await write([
				...(authority ? [authorityStep(authority)] : []),
				{ run: jobEntry(job, by.nowMs, dueMs), guard: "under_way" },
				...unmoved(job.payload.deed),
				{ run: auditBy(by, entry) },
			] satisfies readonly Step<"demoted" | "under_way" | "moved">[]);
			return refused;
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

/** Of two orders for one invoice the later one counts from what the earlier one has left. */
function unmoved(deed: BillingDeed): readonly Step<"moved">[] {
	if (deed.kind !== "refund") return [];
	const asSeen = sql`${invoices.id} = ${deed.invoiceId} AND ${invoices.amountRefunded} = ${deed.refundedBefore}`;
	return [rowCondition(invoices.currency, asSeen, "moved")];
}
