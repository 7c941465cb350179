import type { INTERVALS } from "./lists.ts";
import type { AppLimits, AppPlan } from "./management-types.ts";
import type { AppReference, List, Open } from "./types.ts";

/* What Apps sell, and what they pay themselves, named as on the wire. Unless said otherwise, amounts are in the currency's smallest unit. */

export type Interval = Open<(typeof INTERVALS)[number]>;

/** A price as an App's backend shows it to buyers. */
export interface Price {
	readonly id: string;
	readonly object: "price";
	readonly amount: number;
	/** ISO 4217, in lower case. */
	readonly currency: string;
	readonly interval: Interval;
	readonly trial_days: number;
}

/** A price as the App's team sees it: its terms never change. */
export interface ManagedPrice extends Price {
	readonly on_sale: boolean;
	readonly created_at: string;
}

/** A plan as an App's backend shows it to buyers, with the prices on sale. */
export interface Plan {
	readonly id: string;
	readonly object: "plan";
	/** What the App's code knows the plan by; never changes. */
	readonly key: string;
	readonly name: string;
	readonly description: string;
	readonly benefits: readonly string[];
	readonly display_order: number;
	readonly prices: readonly Price[];
}

/** A plan as the App's team sees it, with all of its prices. */
export interface ManagedPlan extends Omit<Plan, "prices"> {
	readonly archived_at: string | null;
	readonly prices: readonly ManagedPrice[];
	readonly created_at: string;
}

/** The plans on sale, by `display_order` and then by name. */
export interface PlansOnSale extends List<Plan> {
	readonly app: AppReference;
	/** False: show no buy buttons; subscribers can still manage what they have. */
	readonly purchasing_enabled: boolean;
}

/** One of the plans that an App itself can be on. */
export interface AppPlanOffer {
	readonly object: "app_plan";
	readonly key: AppPlan;
	readonly limits: AppLimits;
	/** In whole units of its currency. */
	readonly price_per_month: number;
	readonly currency: string;
}

/** The App's own plan. */
export interface AppBilling {
	/** The App's. */
	readonly id: string;
	readonly object: "app_billing";
	readonly plan: AppPlan;
	/** `inactive` where nothing is paid. */
	readonly status: Open<"inactive" | "active" | "trialing" | "grace" | "unconfirmed">;
	readonly current_period_end: string | null;
	readonly cancel_at_period_end: boolean;
	readonly pending_plan: AppPlan | null;
	readonly pending_effective_at: string | null;
	readonly plans: readonly AppPlanOffer[];
	readonly created_at: string;
}

export interface AppCheckout {
	readonly object: "app_checkout";
	readonly plan: AppPlan;
	readonly effective: Open<"after_payment" | "now" | "at_renewal">;
	/** Where to pay; null where nothing is to be paid. */
	readonly url: string | null;
}

/** Where the payment details are changed. */
export interface PaymentMethodPage {
	readonly object: "payment_method";
	readonly url: string;
}

export interface Invoice {
	readonly id: string;
	readonly object: "invoice";
	readonly status: string;
	readonly amount_due: number;
	readonly amount_paid: number;
	readonly amount_refunded: number;
	readonly currency: string;
	readonly created_at: string;
}

/** What a connected user may use of what an App sells. */
export interface Access {
	/** Null without a plan. */
	readonly plan_key: string | null;
	readonly status: Open<"inactive" | "trialing" | "active" | "grace">;
	readonly expires_at: string | null;
}

export interface Subscription {
	readonly id: string;
	readonly object: "subscription";
	readonly plan_key: string | null;
	/** Null for an App's own plan. */
	readonly price_id: string | null;
	/** The payment processor's own. */
	readonly status: string;
	readonly trial_end: string | null;
	readonly current_period_end: string | null;
	readonly cancel_at_period_end: boolean;
	readonly cancel_at: string | null;
	readonly pending_plan_key: string | null;
	readonly pending_effective_at: string | null;
}

/** A subscription as the App's team sees it. */
export interface ManagedSubscription extends Subscription {
	/** Null for the App's own plan. */
	readonly user_id: string | null;
	readonly ended_at: string | null;
	readonly invoices: readonly Invoice[];
	readonly created_at: string;
}

/** Where one user of an App stands: `access` says what they may use. */
export interface BillingStatus {
	readonly object: "billing_status";
	readonly app: AppReference;
	readonly purchasing_enabled: boolean;
	readonly trial_eligible: boolean;
	readonly has_subscribed: boolean;
	readonly access: Access;
	readonly subscription: Subscription | null;
	/** Where the user's browser is sent to buy and to manage. */
	readonly billing_url: string;
}
