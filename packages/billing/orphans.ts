import { appDeletedMail } from "./mails/billing-mails.ts";
import { findRecipient } from "./mails/recipients.ts";
import { attempt, withinChange, withinRequest } from "./patience.ts";
import type { Billing } from "./room.ts";
import type { Subscription } from "./subscription.ts";
import { endNow, syncSubscription } from "./subscriptions/subscription-readings.ts";

/* Subscriptions without a holder: a person who is not connected any more pays nothing any more, nor does anybody for an App that is deleted. */

const AT_ONCE = 100;

/** Ends them: the connection has ended, even if another began since, or the App is being deleted. */
export async function endOrphans(room: Billing): Promise<void> {
	for (const orphan of await room.subscriptions.listOrphans(room.processor.name, AT_ONCE)) {
		await attempt(room, () => endOrphan(room, orphan));
	}
}

/** Whose App is deleted gets the rest of the term back, by the day, and a mail. */
async function endOrphan(room: Billing, orphan: Subscription): Promise<void> {
	const payer = await findRecipient(room, orphan);
	if (!payer?.app.deleting) return endNow(room, orphan);
	const now = room.clock.now();
	await payBackRest(room, orphan, now);
	await syncSubscription(room, orphan.ref);
	// What has ended is not found again: were the mail last, a process that dies before it would leave the payer without one.
	await room.subscriptions.mail(
		appDeletedMail(room, orphan, { payer, ...(await givenBackFor(room, orphan)), atMs: now }),
		now,
	);
	await endNow(room, orphan);
}

/** What was paid back because the App is deleted, in this round or in one that was interrupted, and what a bank holds. */
async function givenBackFor({ subscriptions }: Billing, { id }: Subscription) {
	const invoices = (await subscriptions.findOwned(id))?.invoices ?? [];
	const refunds = invoices.flatMap((invoice) => invoice.refunds).filter(({ reason }) => reason === "app_deleted");
	return {
		paidBack: refunds.reduce((sum, { amount }) => sum + amount, 0),
		held: invoices.reduce((sum, { amountDisputed }) => sum + amountDisputed, 0),
	};
}

/** What a bank held when the App was deleted, and has left to the seller since, is shared out like the rest was then. */
export async function payBackWon(room: Billing): Promise<void> {
	for (const won of await room.subscriptions.listOwing(room.processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			await payBackRest(room, won, won.endedMs ?? room.clock.now());
			await syncSubscription(room, won.ref);
		});
	}
}

const DAY_MS = 86_400_000;

/** Of each invoice the share of the days that are left at that time, the present one among them. What a bank has asked back is not here to give. */
async function payBackRest({ processor }: Billing, { id, ref }: Subscription, atMs: number): Promise<void> {
	const { invoices } = await withinRequest(processor.retrieve(ref));
	for (const { ref: invoice, periodStartMs, periodEndMs, amountPaid, amountRefunded, amountDisputed } of invoices) {
		const days = Math.max(1, Math.round((periodEndMs - periodStartMs) / DAY_MS));
		const left = Math.min(days, Math.max(0, Math.ceil((periodEndMs - atMs) / DAY_MS)));
		const amount = Math.min(amountPaid - amountRefunded, Math.round((amountPaid * left) / days));
		if (amount <= 0 || amountDisputed > 0) continue;
		await withinChange(processor.refund(ref, { id: `${id} ${invoice}`, invoice, amount, reason: "app_deleted" }));
	}
}
