import type { ManagedPlan, ManagedPrice } from "@svc/sdk/billing-types";
import type { Column } from "../../table.ts";

function digitsOf(currency: string): number {
	try {
		const format = new Intl.NumberFormat("en", { style: "currency", currency });
		return format.resolvedOptions().maximumFractionDigits ?? 2;
	} catch {
		// Not every text that the service may send is a currency.
		return 0;
	}
}

/** An amount of the currency's smallest unit as people write it: `4.99 usd`. */
export function money(amount: number, currency: string): string {
	const digits = digitsOf(currency);
	return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** As `4.99 usd a month, 7 days free`. */
export function priceText({ amount, currency, interval, trial_days, on_sale }: ManagedPrice): string {
	const trial = trial_days > 0 ? `, ${trial_days} days free` : "";
	return `${money(amount, currency)} a ${interval}${trial}${on_sale ? "" : " (off sale)"}`;
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const PLAN_COLUMNS: readonly Column<ManagedPlan>[] = [
	{ name: "id", value: (plan) => plan.id },
	{ name: "key", value: (plan) => plan.key },
	{ name: "name", value: (plan) => plan.name, shrinks: true },
	{ name: "order", value: (plan) => plan.display_order },
	{ name: "state", value: (plan) => (plan.archived_at === null ? "active" : "archived") },
	{ name: "prices", value: (plan) => plan.prices.map(priceText).join("; "), shrinks: true },
];

/** One plan, all of it. */
export const PLAN_DETAIL: readonly Column<ManagedPlan>[] = [
	...PLAN_COLUMNS,
	{ name: "description", value: (plan) => plan.description },
	{ name: "benefits", value: (plan) => plan.benefits.join("; ") },
	{ name: "created_at", value: (plan) => plan.created_at },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const PRICE_COLUMNS: readonly Column<ManagedPrice>[] = [
	{ name: "id", value: (price) => price.id },
	{ name: "amount", value: (price) => price.amount },
	{ name: "currency", value: (price) => price.currency },
	{ name: "interval", value: (price) => price.interval },
	{ name: "trial_days", value: (price) => price.trial_days },
	{ name: "on_sale", value: (price) => price.on_sale },
	{ name: "created_at", value: (price) => price.created_at },
];
