import type { AppBilling, AppCheckout, PaymentMethodPage } from "@svc/sdk/billing-types";
import type { Column } from "../../table.ts";

/** An App's own plan. */
export const BILLING_COLUMNS: readonly Column<AppBilling>[] = [
	{ name: "app", value: (billing) => billing.id },
	{ name: "plan", value: (billing) => billing.plan },
	{ name: "status", value: (billing) => billing.status },
	{ name: "current_period_end", value: (billing) => billing.current_period_end },
	{ name: "cancel_at_period_end", value: (billing) => billing.cancel_at_period_end },
	{ name: "pending_plan", value: (billing) => billing.pending_plan },
	{ name: "pending_from", value: (billing) => billing.pending_effective_at },
	{ name: "plans", value: ({ plans }) => plans.map(({ key }) => key).join(",") },
];

export const CHECKOUT_COLUMNS: readonly Column<AppCheckout>[] = [
	{ name: "plan", value: (checkout) => checkout.plan },
	{ name: "effective", value: (checkout) => checkout.effective },
	{ name: "url", value: (checkout) => checkout.url },
];

export const PAYMENT_METHOD_COLUMNS: readonly Column<PaymentMethodPage>[] = [{ name: "url", value: ({ url }) => url }];

export const BILLING_ADVICE = {
	not_found: "See your Apps: svc apps list",
	state_conflict: "See how it is now: svc billing status",
	forbidden: "Its Owner starts an App's plan, its Admins end it: svc members list",
};
