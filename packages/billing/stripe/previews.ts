import type { ChangeTime, ProcessorPreview } from "../ports.ts";
import type { StripeContext } from "./changes.ts";
import { itemOf, retrieveSubscription, toLine, toMs } from "./snapshot.ts";

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
	const nextAmount = price.unit_amount ?? 0;
	const periodEndMs = toMs(current_period_end);
	if (when === "renewal" || sub.status === "trialing") {
		const effectiveMs = sub.status === "trialing" ? atMs : periodEndMs;
		return { amountNow: 0, currency, credit: 0, nextAmount, nextMs: periodEndMs, effectiveMs, lines: [] };
	}
	const drawn = await api.invoices.createPreview({
		subscription: ref,
		subscription_details: {
			items: [{ id, price: priceRef }],
			proration_behavior: "always_invoice",
			proration_date: Math.floor(atMs / 1_000),
		},
	});
	const credit = Math.max(0, -(drawn.ending_balance ?? 0));
	const lines = (drawn.lines?.data ?? []).map(toLine);
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
