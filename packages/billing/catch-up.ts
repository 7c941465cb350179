import { TRIAL_WARNING_MS, trialEndingMail } from "./mails/billing-mails.ts";
import { tellLimits } from "./mails/limit-notices.ts";
import { findRecipient } from "./mails/recipients.ts";
import { endGrants } from "./operators/grants.ts";
import { endOrphans, payBackWon } from "./orphans.ts";
import { attempt } from "./patience.ts";
import { followPauses } from "./pauses.ts";
import { workOffLeft } from "./processor/deliveries.ts";
import { followDisputes } from "./processor/disputes.ts";
import { compareWhenDue } from "./processor/processor-compare.ts";
import type { Billing } from "./room.ts";
import { accessOf, type Subscription } from "./subscription.ts";
import { endNow, payBack, syncSubscription } from "./subscriptions/subscription-readings.ts";
import { followSale } from "./subscriptions/unsold.ts";

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
	await payBackWon(room);
	await followSale(room);
	await endWithdrawals(room);
	await workOffLeft(room);
	for (const due of await subscriptions.listDue(processor.name, now, now - room.graceMs, AT_ONCE)) {
		await attempt(room, () => bringUpToDate(room, due));
	}
	await tellOver(room, now);
	for (const trial of await subscriptions.listTrialsEnding(processor.name, now, now + TRIAL_WARNING_MS, AT_ONCE)) {
		await attempt(room, () => warnOfTrialEnd(room, trial, now));
	}
	await tellLimits(room);
	await compareWhenDue(room);
}

/** Pays back what was withdrawn from and is not paid back yet. */
export async function endWithdrawals(room: Billing): Promise<void> {
	for (const withdrawn of await room.subscriptions.listWithdrawing(room.processor.name, AT_ONCE)) {
		await attempt(room, () => payBack(room, withdrawn));
	}
}

/** Tells the feeds of access that has ended by the clock alone, whatever the processor does about it, and when. */
async function tellOver(room: Billing, nowMs: number): Promise<void> {
	for (const connectionPk of await room.published.listOver(nowMs, AT_ONCE)) {
		await attempt(room, () => room.subscriptions.tellOver(connectionPk, nowMs));
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
