import type { FakeSubscription } from "./stripe-objects.ts";

/* Tax and discounts at the fake Stripe: 20 percent for everybody, rounded once for a whole invoice. */

/** How what is charged becomes what is to be paid. */
export interface FakeSums {
	readonly subtotal: number;
	readonly total: number;
	readonly total_taxes: readonly { readonly amount: number; readonly tax_behavior: "inclusive" | "exclusive" }[];
	readonly total_discount_amounts: readonly { readonly amount: number; readonly discount: string }[];
}

type Taxable = Pick<FakeSubscription, "automatic_tax" | "discounts" | "items">;

/** A discount is `di_` and the percents that it takes off. */
export function sumsOf({ automatic_tax, discounts, items }: Taxable, amounts: readonly number[]): FakeSums {
	const subtotal = amounts.reduce((sum, amount) => sum + amount, 0);
	const taken = discounts.map((discount) => ({ discount, amount: percent(subtotal, Number(discount.split("_")[1])) }));
	const reduced = subtotal - taken.reduce((sum, { amount }) => sum + amount, 0);
	const behavior = automatic_tax.enabled ? items.data[0]?.price.tax_behavior : undefined;
	const sums = { subtotal, total_discount_amounts: taken };
	if (behavior !== "inclusive" && behavior !== "exclusive") return { ...sums, total: reduced, total_taxes: [] };
	const tax = behavior === "exclusive" ? percent(reduced, 20) : Math.round(reduced / 6);
	const total = behavior === "exclusive" ? reduced + tax : reduced;
	return { ...sums, total, total_taxes: [{ amount: tax, tax_behavior: behavior }] };
}

/** Nothing is taken off what is given back. */
function percent(amount: number, share: number): number {
	return Math.round((amount * share) / 100);
}
