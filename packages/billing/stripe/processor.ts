import type { Clock, Log } from "@svc/base/ports";
import type { Stripe } from "stripe";
import { withinRequest } from "../patience.ts";
import type { CheckoutIntent, Processor, ProcessorPrice } from "../ports.ts";
import { idOf, isForbidden, isRefusal, onceAnHour, openStripe, plainly, type StripeAddress } from "./api.ts";
import { cancel, change, resume, type StripeContext } from "./changes.ts";
import { extend, pauseCollection, refund, resumeCollection } from "./collection.ts";
import { settle, subscriptionFinder, toProcessorEvent, verify } from "./events.ts";
import { listLive, listPaidBack } from "./lists.ts";
import { preview } from "./previews.ts";
import { CHECKOUT_KEY, readSnapshot } from "./snapshot.ts";
import { withdraw } from "./withdraw.ts";

/* Stripe as the payment processor: its Checkout sells, its Billing renews, its portal changes cards, it mails about payments. */

export interface StripeDeps extends StripeAddress {
	/** The secret of the webhook that delivers to us. */
	readonly webhookSecret: string;
	readonly clock: Clock;
	readonly log: Log;
}

export function stripeProcessor(deps: StripeDeps): Processor {
	const { webhookSecret, clock, log } = deps;
	const api = openStripe(deps);
	const findPaidFor = subscriptionFinder(api);
	const now = () => Math.floor(clock.now() / 1_000);
	const context: StripeContext = { api, once: onceAnHour(clock), log, now };
	return {
		name: "stripe",
		takesPayments: true,
		mode: /^[a-z]+_live_/.test(deps.secretKey) ? "live" : "test",
		findAccount: () => plainly(findAccount(api)),
		ensurePrice: (id, price) => plainly(ensurePrice(context, id, price)),
		ensureCustomer: (id, customer) => plainly(ensureCustomer(context, id, customer)),
		checkout: (intent) => plainly(openCheckout(context, intent)),
		closeCheckout: (checkout) => plainly(closeCheckout(context, checkout)),
		findCompleted: (checkout) => plainly(findCompleted(context, checkout)),
		retrieve: (ref) => plainly(readSnapshot(api, ref)),
		listLive: () => listLive(api),
		listPaidBack: (sinceMs) => listPaidBack(api, sinceMs),
		preview: (ref, price, when, atMs) => plainly(preview(context, ref, price, when, atMs)),
		change: (ref, price, when, atMs) => plainly(change(context, ref, price, when, atMs)),
		pauseCollection: (ref) => plainly(pauseCollection(context, ref)),
		resumeCollection: (ref) => plainly(resumeCollection(context, ref)),
		extend: (ref, untilMs) => plainly(extend(context, ref, untilMs)),
		refund: (ref, intent) => plainly(refund(context, ref, intent)),
		cancel: (ref, when) => plainly(cancel(context, ref, when)),
		resume: (ref) => plainly(resume(context, ref)),
		withdraw: (ref) => plainly(withdraw(context, ref)),
		paymentMethodUrl: (ref, returnUrl) => plainly(openPortal(context, ref, returnUrl)),
		async parseEvent(raw, headers) {
			const event = await verify(clock, webhookSecret, { raw, signature: headers.get("stripe-signature") });
			// An event whose subscription cannot be determined is not accepted: it is delivered again.
			return await withinRequest(plainly(toProcessorEvent(api, event, findPaidFor)));
		},
		settle: (event) => plainly(settle(context, event)),
	};
}

/** Null for a key that may not ask. */
async function findAccount(api: Stripe): Promise<string | null> {
	try {
		return (await api.accounts.retrieveCurrent()).id;
	} catch (cause) {
		if (isForbidden(cause)) return null;
		throw cause;
	}
}

/** The price is found by our id of it however long ago it was made. */
async function ensurePrice({ api, once }: StripeContext, id: string, price: ProcessorPrice): Promise<string> {
	const { amount, currency, interval, taxBehavior, title } = price;
	const { data } = await api.prices.list({ lookup_keys: [id], limit: 1 });
	if (data[0]) return data[0].id;
	const made = await api.prices.create(
		{
			lookup_key: id,
			unit_amount: amount,
			currency,
			recurring: { interval },
			product_data: { name: title },
			...(taxBehavior && { tax_behavior: taxBehavior }),
		},
		await once("price", id, price),
	);
	return made.id;
}

/** A second customer, should the first not be remembered, pays nothing. */
async function ensureCustomer(
	{ api, once }: StripeContext,
	id: string,
	{ email, name }: { readonly email: string; readonly name: string },
): Promise<string> {
	const create = async (known: { readonly email?: string }) => {
		const about = { ...known, name, metadata: { svc_payer: id } };
		return (await api.customers.create(about, await once("customer", about))).id;
	};
	try {
		return await create({ email });
	} catch (cause) {
		// Stripe refuses addresses such as operator@localhost: it asks for another one itself.
		if (!isRefusal(cause)) throw cause;
		return await create({});
	}
}

async function openCheckout(
	{ api, once }: StripeContext,
	intent: CheckoutIntent,
): Promise<{ ref: string; url: string }> {
	const metadata = { [CHECKOUT_KEY]: intent.id };
	const session = await api.checkout.sessions.create(
		{
			mode: "subscription",
			customer: intent.customer,
			client_reference_id: intent.id,
			line_items: [{ price: intent.price, quantity: 1 }],
			payment_method_collection: "always",
			// A change that takes effect once it is paid is possible with cards alone.
			allowed_payment_method_types: ["card"],
			// Payments and refunds are in the currency of the price.
			adaptive_pricing: { enabled: false },
			metadata,
			subscription_data: {
				metadata,
				description: `${intent.seller}: ${intent.title}`,
				...(intent.trialDays > 0 && { trial_period_days: intent.trialDays }),
			},
			...(intent.taxBehavior && TAXED),
			...(intent.promotionCodes && { allow_promotion_codes: true }),
			success_url: intent.successUrl,
			cancel_url: intent.cancelUrl,
		},
		await once("checkout", intent),
	);
	if (session.url === null) throw new Error("Stripe opened a checkout without a page.");
	return { ref: session.id, url: session.url };
}

/** Stripe expires open sessions alone: one that somebody pays at that moment is asked for again. */
async function closeCheckout({ api }: StripeContext, checkout: string): Promise<boolean> {
	const { status } = await api.checkout.sessions.retrieve(checkout);
	if (status !== "open") return status !== "complete";
	await api.checkout.sessions.expire(checkout).catch(async (cause: unknown) => {
		const now = await api.checkout.sessions.retrieve(checkout);
		if (now.status === "open") throw cause;
	});
	return (await api.checkout.sessions.retrieve(checkout)).status === "expired";
}

/** Where the payer is, and whether they are a business, decides on the tax: what they say of it is kept with the customer. */
const TAXED = {
	automatic_tax: { enabled: true },
	tax_id_collection: { enabled: true },
	customer_update: { address: "auto", name: "auto" },
} as const;

async function findCompleted({ api }: StripeContext, checkout: string): Promise<string | undefined> {
	const { status, subscription } = await api.checkout.sessions.retrieve(checkout);
	return status === "complete" && subscription ? idOf(subscription) : undefined;
}

async function openPortal({ api }: StripeContext, ref: string, returnUrl: string): Promise<string> {
	const { customer } = await api.subscriptions.retrieve(ref);
	const session = await api.billingPortal.sessions.create({
		customer: idOf(customer),
		return_url: returnUrl,
		flow_data: {
			type: "payment_method_update",
			after_completion: { type: "redirect", redirect: { return_url: returnUrl } },
		},
	});
	return session.url;
}
