import { attempt, endNow, payBack, syncSubscription } from "./billing.ts";
import { TRIAL_WARNING_MS, trialEndingMail } from "./billing-mails.ts";
import { workOffLeft } from "./deliveries.ts";
import { compareWhenDue } from "./processor-compare.ts";
import type { Billing } from "./room.ts";
import { accessOf, type Subscription } from "./subscriptions.ts";
import { followSale } from "./unsold.ts";

const AT_ONCE = 100;

/**
 * Work that becomes due with time: reading renewals, ending graces and withdrawals, warning of the end of trials, and deliveries that
 * were interrupted. A person who is not connected any more pays nothing any more.
 */
export async function catchUp(room: Billing): Promise<void> {
	const { processor, subscriptions } = room;
	await processor.simulation?.catchUp();
	const now = room.clock.now();
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
	await compareWhenDue(room);
}

/** Ends subscriptions without a holder: the connection has ended, even if another began since, or the App is being deleted. */
export async function endOrphans(room: Billing): Promise<void> {
	for (const orphan of await room.subscriptions.listOrphans(room.processor.name, AT_ONCE)) {
		await attempt(room, () => endNow(room, orphan));
	}
}

async function warnOfTrialEnd(room: Billing, trial: Subscription, nowMs: number): Promise<void> {
	const { subscriber } = trial;
	const payer = subscriber.subject === "user" ? await room.payers.findByConnection(subscriber.connectionPk) : undefined;
	if (payer) await room.subscriptions.warnOfTrialEnd(trial, trialEndingMail(trial, payer), nowMs);
}

async function bringUpToDate(room: Billing, due: Subscription): Promise<void> {
	const read = await syncSubscription(room, due.ref);
	if (read?.status !== "past_due" || accessOf(read, room.clock.now(), room.graceMs).status === "grace") return;
	if (read.endedMs === null) await endNow(room, read);
}
