import type { Stripe } from "stripe";
import type { Snapshot } from "../ports.ts";
import { idOf } from "./api.ts";
import { alter, bear, end, type StripeContext, voidUnpaid } from "./changes.ts";
import {
	CHECKOUT_KEY,
	listGivenBack,
	listInvoices,
	type Payment,
	paymentsOf,
	readSnapshot,
	retrieveSubscription,
} from "./snapshot.ts";

/** Metadata key of a change of a payer's credit: the subscription that was withdrawn from. */
const WITHDRAWN_KEY = "svc_withdrawn";

/** Ends it at once, voids what is unpaid, refunds what was paid. */
export async function withdraw(context: StripeContext, ref: string): Promise<Snapshot> {
	await alter(context, ref, (sub) => end(context, sub));
	const sub = await retrieveSubscription(context.api, ref);
	const [invoices, { refunded }] = await Promise.all([listInvoices(context.api, ref), listGivenBack(context.api, sub)]);
	await voidUnpaid(context, invoices);
	for (const payment of invoices.flatMap(paymentsOf)) {
		await refund(context, sub, payment, refunded.get(payment.intent) ?? 0);
	}
	await restoreCredit(context, sub, invoices);
	return await readSnapshot(context.api, ref);
}

/** Refunds all that is left of a payment. */
async function refund(context: StripeContext, { metadata }: Stripe.Subscription, payment: Payment, before: number) {
	const { id, intent, amount } = payment;
	if (before >= amount) return;
	const about = { payment_intent: intent, metadata: { [CHECKOUT_KEY]: metadata[CHECKOUT_KEY] ?? "" } };
	const key = await context.once("refund", id, before);
	await bear(context, "a payment could not be paid back yet", () => context.api.refunds.create(about, key));
}

/**
 * The credit that a change of plan left was paid for with what is refunded now: the payer must not get it twice. What was paid from
 * credit that they had before becomes credit again.
 */
async function restoreCredit(
	{ api, once }: StripeContext,
	{ id, customer }: Stripe.Subscription,
	invoices: readonly Stripe.Invoice[],
): Promise<void> {
	// Stripe itself restores the credit that a voided invoice has moved.
	const paid = invoices.filter(({ status }) => status === "paid");
	const given = paid.reduce(
		(sum, { starting_balance, ending_balance }) => sum + starting_balance - (ending_balance ?? starting_balance),
		0,
	);
	if (given === 0) return;
	const payer = await api.customers.retrieve(idOf(customer));
	if (payer.deleted) return;
	const amount = Math.min(given, Math.max(0, -payer.balance));
	if (amount === 0) return;
	const { data: moves } = await api.customers.listBalanceTransactions(payer.id, { limit: 100 });
	if (moves.some(({ metadata }) => metadata?.[WITHDRAWN_KEY] === id)) return;
	const currency = invoices[0]?.currency ?? "";
	const about = { description: "Restored with the withdrawal", metadata: { [WITHDRAWN_KEY]: id } };
	await api.customers.createBalanceTransaction(payer.id, { amount, currency, ...about }, await once("credit", id));
}
