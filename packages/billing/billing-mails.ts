import { type NewMail, newMail } from "@svc/mail/mail";
import type { Payer } from "./billing-card.ts";
import type { Snapshot } from "./ports.ts";
import type { Bought, Subscription } from "./subscriptions.ts";

/* Mails to subscribers (specification, "Events"); the processor itself sends the receipts. Each mail names the App, and goes once. */

interface SubscriptionChange {
	readonly before: Subscription | undefined;
	readonly snapshot: Snapshot;
	readonly bought: Bought;
	readonly payer: Payer;
	/** Public id of the subscription. */
	readonly id: string;
	readonly nowMs: number;
}

/** How long before its end people are mailed that a trial becomes a plan that is paid for. */
export const TRIAL_WARNING_MS = 3 * 86_400_000;

/** The mails that a reading causes. */
export function mailsOf(change: SubscriptionChange): readonly NewMail[] {
	const { before, snapshot } = change;
	if (!before) return snapshot.endedMs === null ? startMails(change) : [];
	const refunded = snapshot.invoices.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0);
	// What is paid back with the withdrawal itself has its own mail.
	const further = before.withdrawnMs !== null && before.endedMs !== null && refunded > before.amountRefunded;
	return further
		? [newMail("further_refund", change.payer.email, namesOf(change), `further_refund ${change.id} ${refunded}`)]
		: [];
}

function namesOf({ bought, payer }: Pick<SubscriptionChange, "bought" | "payer">): {
	readonly app: string;
	readonly plan: string;
} {
	return { app: payer.app.name, plan: bought.subject === "user" ? bought.planName : bought.appPlan };
}

function startMails(change: SubscriptionChange): readonly NewMail[] {
	const { snapshot, payer, id, nowMs } = change;
	const { trialEndMs } = snapshot;
	const names = namesOf(change);
	if (trialEndMs === null || snapshot.status !== "trialing") {
		return [newMail("subscription_started", payer.email, names, `subscription_started ${id}`)];
	}
	const facts = { ...names, until: new Date(trialEndMs).toISOString() };
	const started = newMail("trial_started", payer.email, facts, `trial_started ${id}`);
	const short = trialEndMs - nowMs < TRIAL_WARNING_MS;
	return short ? [started, newMail("trial_ending", payer.email, facts, trialEndingKey(id))] : [started];
}

export function trialEndingMail({ id, bought, trialEndMs, periodEndMs }: Subscription, payer: Payer): NewMail {
	const until = new Date(trialEndMs ?? periodEndMs).toISOString();
	return newMail("trial_ending", payer.email, { ...namesOf({ bought, payer }), until }, trialEndingKey(id));
}

/** The dedupe key of the mail that warns a subscriber of the trial's end. */
export function trialEndingKey(subscriptionId: string): string {
	return `trial_ending ${subscriptionId}`;
}

export function withdrawnMail({ id, bought }: Subscription, payer: Payer): NewMail {
	return newMail("withdrawn", payer.email, namesOf({ bought, payer }), `withdrawn ${id}`);
}
