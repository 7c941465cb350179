import type { Database } from "@svc/base/database/client";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { processorEvents } from "@svc/base/database/schema/billing/processor";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { and, eq, exists, gt, isNotNull, isNull, or, sql } from "drizzle-orm";

interface WaitingEvents {
	readonly waiting: number;
	/** Since when the oldest waits; null where none does. */
	readonly oldestMs: number | null;
}

export type BillingHealthStore = ReturnType<typeof billingHealthStore>;

export function billingHealthStore({ queries, read }: Database) {
	return {
		/** Deliveries that are not processed; those of subscriptions that the processor does not know are put off and do not count. */
		async readEvents(processor: string): Promise<WaitingEvents & { readonly lastMs: number | null }> {
			const { receivedMs, doneMs, nextMs } = processorEvents;
			const [[left], [newest]] = await Promise.all([
				read(() =>
					queries
						.select({ waiting: sql<number>`count(*)`, oldestMs: sql<number | null>`min(${receivedMs})` })
						.from(processorEvents)
						.where(and(sql`+${processorEvents.processor} = ${processor}`, isNull(doneMs), isNull(nextMs))),
				),
				read(() =>
					queries
						.select({ lastMs: sql<number | null>`max(${receivedMs})` })
						.from(processorEvents)
						.where(eq(processorEvents.processor, processor)),
				),
			]);
			return { waiting: left?.waiting ?? 0, oldestMs: left?.oldestMs ?? null, lastMs: newest?.lastMs ?? null };
		},
		/** Withdrawals of which something was not paid back yet. */
		async readWithdrawals(processor: string): Promise<WaitingEvents> {
			const { withdrawnMs, endedMs, pk } = subscriptions;
			const unreturned = and(eq(invoices.subscriptionPk, pk), gt(invoices.amountPaid, invoices.amountRefunded));
			const kept = queries.select({ pk: invoices.pk }).from(invoices).where(unreturned);
			const open = or(isNull(endedMs), exists(kept));
			const [row] = await read(() =>
				queries
					.select({ waiting: sql<number>`count(*)`, oldestMs: sql<number | null>`min(${withdrawnMs})` })
					.from(subscriptions)
					.where(and(sql`+${subscriptions.processor} = ${processor}`, isNotNull(withdrawnMs), open)),
			);
			return row ?? { waiting: 0, oldestMs: null };
		},
		async countDisputes(processor: string): Promise<number> {
			const open = and(sql`+${subscriptions.processor} = ${processor}`, sql`${subscriptions.disputeState} = 'open'`);
			return await read(() => queries.$count(subscriptions, open));
		},
		/** The states of all subscriptions that have not ended, each with how many are in it. */
		async listStates(processor: string) {
			const { status, trialEndMs, periodStartMs, periodEndMs, cancelAtPeriodEnd } = subscriptions;
			const { endedMs, withdrawnMs, graceUntilMs } = subscriptions;
			const term = { status, trialEndMs, periodStartMs, periodEndMs, cancelAtPeriodEnd };
			const state = { ...term, endedMs, withdrawnMs, graceUntilMs };
			const live = and(sql`+${subscriptions.processor} = ${processor}`, isNull(endedMs));
			return await read(() =>
				queries
					.select({ ...state, count: sql<number>`count(*)` })
					.from(subscriptions)
					.where(live)
					.groupBy(...Object.values(state)),
			);
		},
	};
}
