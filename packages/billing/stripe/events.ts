import { Failure } from "@svc/base/failure";
import type { Clock } from "@svc/base/ports";
import { Stripe } from "stripe";
import * as v from "valibot";
import type { ProcessorEvent } from "../ports.ts";
import { idOf } from "./api.ts";
import { bear, type StripeContext } from "./changes.ts";
import { CHECKOUT_KEY, isOver, listInvoices, retrieveSubscription, scheduleOf } from "./snapshot.ts";

/* Stripe's deliveries, and what must follow from them besides reading the subscription again. */

/** An older delivery may have been recorded and sent again. */
const TOLERANCE_SECONDS = 300;

export interface Signed {
	readonly raw: string;
	readonly signature: string | null;
}

/** @throws Failure unauthorized for what was not signed with the webhook's secret, or too long ago */
export async function verify(clock: Clock, secret: string, { raw, signature }: Signed): Promise<Stripe.Event> {
	try {
		const nowMs = clock.now();
		return await Stripe.webhooks.constructEventAsync(raw, signature ?? "", secret, TOLERANCE_SECONDS, undefined, nowMs);
	} catch {
		// The error of Stripe's client repeats the delivery and its signature.
		throw Failure.saying("unauthorized", "This delivery is not signed by the payment processor.");
	}
}

/** Undefined for what is signed, but is no event about an object. */
export async function toProcessorEvent(
	api: Stripe,
	event: Stripe.Event,
	findPaid: FindPaidFor,
): Promise<ProcessorEvent | undefined> {
	if (!v.is(eventSchema, event)) return undefined;
	const { id, type } = event;
	return { id, type, subscription: (await subscriptionOf(api, event, findPaid)) || null };
}

const text = v.pipe(v.string(), v.nonEmpty());

/** What is read of an event before its type is known; the signature says nothing of its form. */
const eventSchema = v.object({
	id: text,
	type: text,
	data: v.object({ object: v.object({ id: text, object: text }) }),
});

async function subscriptionOf(api: Stripe, event: Stripe.Event, findPaid: FindPaidFor): Promise<string | null> {
	const { object } = event.data;
	switch (object.object) {
		case "subscription":
			return object.id;
		case "checkout.session":
			return object.subscription && idOf(object.subscription);
		case "invoice":
			return ofInvoice(object);
		case "subscription_schedule":
			return object.subscription ? idOf(object.subscription) : object.released_subscription;
		case "charge":
		case "refund":
		case "dispute":
			return object.payment_intent ? await findPaid(idOf(object.payment_intent)) : null;
		case "customer":
			return isNewCard(event) ? await findOurs(api, object.id, event.created) : null;
		default:
			return null;
	}
}

function ofInvoice({ parent }: Stripe.Invoice): string | null {
	const subscription = parent?.subscription_details?.subscription;
	return subscription ? idOf(subscription) : null;
}

export type FindPaidFor = (intent: string) => Promise<string | null>;

/** Many deliveries at once about one payment ask for it once. */
export function subscriptionFinder(api: Stripe): FindPaidFor {
	const asked = new Map<string, Promise<string | null>>();
	return async (intent) => {
		const known = asked.get(intent);
		if (known) return await known;
		const found = findPaidFor(api, intent).finally(() => asked.delete(intent));
		asked.set(intent, found);
		return await found;
	};
}

/** The subscription that a payment was for. */
export async function findPaidFor(api: Stripe, intent: string): Promise<string | null> {
	const payment = { type: "payment_intent", payment_intent: intent } as const;
	const { data } = await api.invoicePayments.list({ payment, limit: 1, expand: ["data.invoice"] });
	const invoice = data[0]?.invoice;
	return typeof invoice === "object" && !invoice.deleted ? ofInvoice(invoice) : null;
}

/** A payer has one live subscription of ours at most; one that began later was begun with a card of its own. */
async function findOurs(api: Stripe, customer: string, at: number): Promise<string | null> {
	const { data } = await api.subscriptions.list({ customer, limit: 100 });
	return data.find(({ metadata, created }) => metadata[CHECKOUT_KEY] !== undefined && created <= at)?.id ?? null;
}

/** At the portal a payer leaves a card for the customer, while the checkout kept one for the subscription, which has precedence. */
const NEW_CARD = "customer.updated";

function isNewCard({ type, data }: Stripe.Event): boolean {
	return type === NEW_CARD && data.previous_attributes !== undefined && "invoice_settings" in data.previous_attributes;
}

/** From now on the subscription is paid with the payer's newest card; open invoices are paid with it at once. */
export async function settle(context: StripeContext, { type, subscription }: ProcessorEvent): Promise<void> {
	if (type !== NEW_CARD || subscription === null) return;
	const { api } = context;
	const sub = await retrieveSubscription(api, subscription);
	const payer = await api.customers.retrieve(idOf(sub.customer));
	const newest = payer.deleted ? null : payer.invoice_settings.default_payment_method;
	if (isOver(sub) || newest === null) return;
	const card = idOf(newest);
	if (sub.default_payment_method !== null && idOf(sub.default_payment_method) === card) return;
	// Invoices are paid first: if this is interrupted, the event is not done, and comes again.
	for (const { id, status } of await listInvoices(api, sub.id)) {
		if (status !== "open") continue;
		await bear(context, "an open invoice could not be paid with the new card", () =>
			api.invoices.pay(id, { payment_method: card }),
		);
	}
	const settings = { default_payment_method: card };
	const schedule = scheduleOf(sub);
	if (schedule) await api.subscriptionSchedules.update(schedule.id, { default_settings: settings });
	await api.subscriptions.update(sub.id, settings);
}
