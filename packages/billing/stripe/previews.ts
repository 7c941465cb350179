import type { Stripe } from "stripe";
import type { ChangeTime, ProcessorPreview } from "../ports.ts";
import { idOf } from "./api.ts";
import { type StripeContext, waitsForRenewal } from "./changes.ts";
import { chargedBy, discountsOf, itemOf, retrieveSubscription, toMs } from "./snapshot.ts";

/* What a change would cost: Stripe itself draws the invoice up, and keeps nothing of it. */

export async function preview(
	{ api }: StripeContext,
	ref: string,
	priceRef: string,
	when: ChangeTime,
	atMs: number,
): Promise<ProcessorPreview> {
	const [sub, price] = await Promise.all([retrieveSubscription(api, ref), api.prices.retrieve(priceRef)]);
	const { id, current_period_end } = itemOf(sub);
	const { currency } = price;
	const nextAmount = await termTotal(api, sub, price);
	const periodEndMs = toMs(current_period_end);
	if (when === "renewal" || sub.status === "trialing") {
		const effectiveMs = waitsForRenewal(sub, when) ? periodEndMs : atMs;
		return { amountNow: 0, currency, credit: 0, nextAmount, nextMs: periodEndMs, effectiveMs, lines: [] };
	}
	const drawn = await api.invoices.createPreview({
		subscription: ref,
		...(sub.automatic_tax?.enabled && { automatic_tax: { enabled: true } }),
		subscription_details: {
			items: [{ id, price: priceRef }],
			proration_behavior: "always_invoice",
			proration_date: Math.floor(atMs / 1_000),
		},
	});
	const credit = Math.max(0, -(drawn.ending_balance ?? 0));
	const { lines } = chargedBy(drawn);
	const nextMs = lines.at(-1)?.periodEndMs ?? periodEndMs;
	return {
		amountNow: drawn.amount_due,
		currency,
		credit,
		nextAmount: Math.max(0, nextAmount - credit),
		nextMs,
		effectiveMs: atMs,
		lines,
	};
}

/** What a whole term at a price costs this payer, with tax and discount: as the first invoice of one would have it. */
async function termTotal(api: Stripe, sub: Stripe.Subscription, price: Stripe.Price): Promise<number> {
	const discounts = discountsOf(sub);
	const taxed = sub.automatic_tax?.enabled && price.tax_behavior === "exclusive";
	if (!taxed && !discounts) return price.unit_amount ?? 0;
	const drawn = await api.invoices.createPreview({
		customer: idOf(sub.customer),
		subscription_details: { items: [{ price: price.id }] },
		...(taxed && { automatic_tax: { enabled: true } }),
		...discounts,
	});
	return drawn.total;
}
