import type { RefundIntent, Snapshot } from "../ports.ts";
import { alter, bear, type StripeContext, voidUnpaid } from "./changes.ts";
import { EXTENDED_KEY, itemOf, listInvoices, paymentsOf, readSnapshot } from "./snapshot.ts";

/* Collecting nothing for a while, and paying part of it back. */

const DAY_SECONDS = 86_400;
/** A trial does not end while nothing is collected; nobody pauses for longer. */
const HELD_TRIAL_SECONDS = 365 * DAY_SECONDS;
/** Metadata key of a subscription: when its trial was to end, before it was held. */
const TRIAL_KEY = "svc_trial_end";
/** Metadata key of a refund: our own id of it. */
const REFUND_KEY = "svc_refund";

export async function pauseCollection(context: StripeContext, ref: string): Promise<Snapshot> {
	const { api, now } = context;
	await alter(context, ref, async (sub) => {
		if (sub.pause_collection) return;
		const trialEnd = sub.status === "trialing" ? sub.trial_end : null;
		await api.subscriptions.update(ref, {
			pause_collection: { behavior: "void" },
			...(trialEnd !== null && {
				trial_end: Math.max(trialEnd, now() + HELD_TRIAL_SECONDS),
				metadata: { [TRIAL_KEY]: String(trialEnd) },
				proration_behavior: "none",
			}),
		});
	});
	await voidUnpaid(context, await listInvoices(api, ref));
	return await readSnapshot(api, ref);
}

export async function resumeCollection(context: StripeContext, ref: string): Promise<Snapshot> {
	const { api, now } = context;
	await alter(context, ref, async (sub) => {
		if (!sub.pause_collection) return;
		const planned = Number(sub.metadata[TRIAL_KEY] ?? 0);
		await api.subscriptions.update(ref, {
			pause_collection: "",
			...(sub.status === "trialing" && {
				trial_end: Math.max(planned, now() + DAY_SECONDS),
				metadata: { [TRIAL_KEY]: "" },
				proration_behavior: "none",
			}),
		});
	});
	return await readSnapshot(api, ref);
}

/** Stripe gives time for nothing as a trial alone, which a paid term is not to us: it is marked. */
export async function extend(context: StripeContext, ref: string, untilMs: number): Promise<Snapshot> {
	const { api } = context;
	const until = Math.floor(untilMs / 1_000);
	await alter(context, ref, async (sub) => {
		if (itemOf(sub).current_period_end >= until) return;
		const paid = sub.status === "active" && { metadata: { [EXTENDED_KEY]: String(until) } };
		await api.subscriptions.update(ref, { trial_end: until, proration_behavior: "none", ...paid });
	});
	return await readSnapshot(api, ref);
}

/** Stripe forgets an idempotency key after a day: what was paid back under our id is looked for first. */
export async function refund(context: StripeContext, ref: string, intent: RefundIntent): Promise<Snapshot> {
	const { api, once } = context;
	const invoice = (await listInvoices(api, ref)).find(({ id }) => id === intent.invoice);
	const [payment] = invoice ? paymentsOf(invoice) : [];
	if (!payment) throw new Error("Nothing was paid for this invoice.");
	const { data } = await api.refunds.list({ payment_intent: payment.intent, limit: 100 });
	if (!data.some(({ metadata }) => metadata?.[REFUND_KEY] === intent.id)) {
		const about = { payment_intent: payment.intent, amount: intent.amount, metadata: { [REFUND_KEY]: intent.id } };
		const key = await once("refund", intent.id);
		await bear(context, "a payment could not be paid back", () => api.refunds.create(about, key));
	}
	return await readSnapshot(api, ref);
}
