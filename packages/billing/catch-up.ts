import { attempt, endNow, findRecipient, payBack, syncSubscription, withinChange, withinRequest } from "./billing.ts";
import { appDeletedMail, TRIAL_WARNING_MS, trialEndingMail } from "./mails/billing-mails.ts";
import { tellLimits } from "./mails/limit-notices.ts";
import { endGrants } from "./operators/grants.ts";
import { followPauses } from "./pauses.ts";
import { followSale } from "./plans/unsold.ts";
import { workOffLeft } from "./processor/deliveries.ts";
import { followDisputes } from "./processor/disputes.ts";
import { compareWhenDue } from "./processor/processor-compare.ts";
import type { Billing } from "./room.ts";
import { accessOf, type Subscription } from "./subscriptions/subscriptions.ts";

const AT_ONCE = 100;

/**
 * Work that becomes due with time: reading renewals, ending graces and withdrawals, warning of the end of trials, and deliveries that
 * were interrupted. A person who is not connected any more pays nothing any more.
 */
export async function catchUp(room: Billing): Promise<void> {
	const { processor, subscriptions } = room;
	// Before anything falls due that is not to be charged.
	await followDisputes(room);
	await followPauses(room);
	await processor.simulation?.catchUp();
	const now = room.clock.now();
	await endGrants(room);
	await endOrphans(room);
	await followSale(room);
	for (const withdrawn of await subscriptions.listWithdrawing(processor.name, AT_ONCE)) {
		await attempt(room, () => payBack(room, withdrawn));
	}
	await workOffLeft(room);
	for (const due of await subscriptions.listDue(processor.name, now, now - room.graceMs, AT_ONCE)) {
		await attempt(room, () => bringUpToDate(room, due));
	}
	for (const trial of await subscriptions.listTrialsEnding(processor.name, now, now + TRIAL_WARNING_MS, AT_ONCE)) {
		await attempt(room, () => warnOfTrialEnd(room, trial, now));
	}
	await tellLimits(room);
	await compareWhenDue(room);
}

/** Ends subscriptions without a holder: the connection has ended, even if another began since, or the App is being deleted. */
export async function endOrphans(room: Billing): Promise<void> {
	for (const orphan of await room.subscriptions.listOrphans(room.processor.name, AT_ONCE)) {
		await attempt(room, () => endOrphan(room, orphan));
	}
}

/** Whose App is deleted gets the rest of the term back, by the day, and a mail. */
async function endOrphan(room: Billing, orphan: Subscription): Promise<void> {
	const payer = await findRecipient(room, orphan);
	if (!payer?.app.deleting) return endNow(room, orphan);
	await payBackRest(room, orphan);
	await syncSubscription(room, orphan.ref);
	const now = room.clock.now();
	// What has ended is not found again: were the mail last, a process that dies before it would leave the payer without one.
	await room.subscriptions.mail(
		appDeletedMail(room, orphan, { payer, paidBack: await paidBackFor(room, orphan), atMs: now }),
		now,
	);
	await endNow(room, orphan);
}

/** What was paid back because the App is deleted, in this round or in one that was interrupted. */
async function paidBackFor({ subscriptions }: Billing, { id, subscriber }: Subscription): Promise<number> {
	const owned = await subscriptions.findOwned(subscriber.appPk, id);
	const refunds = (owned?.invoices ?? []).flatMap((invoice) => invoice.refunds);
	return refunds.reduce((sum, { amount, reason }) => (reason === "app_deleted" ? sum + amount : sum), 0);
}

const DAY_MS = 86_400_000;

/**
 * Of each invoice the share of the days that are left, the present one among them. The processor refuses what a bank has asked back: that is
 * not here to give.
 */
async function payBackRest({ processor, clock }: Billing, { id, ref }: Subscription): Promise<void> {
	const { invoices } = await withinRequest(processor.retrieve(ref));
	const now = clock.now();
	for (const { ref: invoice, periodStartMs, periodEndMs, amountPaid, amountRefunded } of invoices) {
		const days = Math.max(1, Math.round((periodEndMs - periodStartMs) / DAY_MS));
		const left = Math.min(days, Math.max(0, Math.ceil((periodEndMs - now) / DAY_MS)));
		const amount = Math.min(amountPaid - amountRefunded, Math.round((amountPaid * left) / days));
		if (amount <= 0) continue;
		await withinChange(processor.refund(ref, { id: `${id} ${invoice}`, invoice, amount, reason: "app_deleted" }));
	}
}

async function warnOfTrialEnd(room: Billing, trial: Subscription, nowMs: number): Promise<void> {
	const payer = await findRecipient(room, trial);
	if (payer) await room.subscriptions.warnOfTrialEnd(trial, trialEndingMail(room, trial, payer), nowMs);
}

async function bringUpToDate(room: Billing, due: Subscription): Promise<void> {
	const read = await syncSubscription(room, due.ref);
	if (read?.status !== "past_due" || accessOf(read, room.clock.now(), room.graceMs).status === "grace") return;
	if (read.endedMs === null) await endNow(room, read);
}
