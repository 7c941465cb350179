import { type Calls, pagesOf, pathOf } from "./calls.ts";
import type { CallOptions } from "./request.ts";
import type {
	AppBilling,
	AppCheckout,
	AppPlan,
	Interval,
	Invoice,
	ManagedPlan,
	ManagedPrice,
	ManagedSubscription,
	PaymentMethodPage,
} from "./shapes.ts";
import type { Transport } from "./transport.ts";
import type { Open } from "./types.ts";

export interface PlanDescription {
	readonly name?: string | undefined;
	readonly description?: string | undefined;
	readonly benefits?: readonly string[] | undefined;
	/** Buyers see lower ones first. Default: 0. */
	readonly displayOrder?: number | undefined;
}

export interface NewPlan extends PlanDescription {
	/** What the App's code knows the plan by; never changes. */
	readonly key: string;
	readonly name: string;
}

export interface NewPrice {
	/** An amount in the currency's smallest unit. */
	readonly amount: number;
	/** ISO 4217, in lower case. */
	readonly currency: string;
	readonly interval: Open<Interval>;
	/** Default: 0. */
	readonly trialDays?: number | undefined;
}

/** The plans that an App sells. */
export function plansOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "plans", ...rest);
	return {
		...pagesOf<ManagedPlan>(transport, path()),
		/** It is on sale once it has a price. */
		create: ({ displayOrder, ...plan }: NewPlan, options?: CallOptions) =>
			calls.post<ManagedPlan>(path(), { ...plan, display_order: displayOrder }, options),
		update: (id: string, { displayOrder, ...changes }: PlanDescription, options?: CallOptions) =>
			calls.patch<ManagedPlan>(path(id), { ...changes, display_order: displayOrder }, options),
		/** Takes it off sale for good; its subscribers keep it. */
		archive: (id: string, options?: CallOptions) => calls.post<ManagedPlan>(path(id, "archive"), undefined, options),
		/** The price is on sale at once; its terms never change. */
		addPrice: (id: string, { trialDays, ...terms }: NewPrice, options?: CallOptions) =>
			calls.post<ManagedPrice>(path(id, "prices"), { ...terms, trial_days: trialDays }, options),
		/** Subscribers of the price go on paying it. */
		setOnSale: (id: string, priceId: string, onSale: boolean, options?: CallOptions) =>
			calls.patch<ManagedPrice>(path(id, "prices", priceId), { on_sale: onSale }, options),
	};
}

/** Who pays an App, with their invoices and refunds. */
export function subscriptionsOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "subscriptions", ...rest);
	return {
		...pagesOf<ManagedSubscription>(transport, path()),
		get: (id: string, options?: CallOptions) => calls.get<ManagedSubscription>(path(id), options),
	};
}

/** The App's own plan, and what it pays for it. */
export function appBillingOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "billing", ...rest);
	return {
		get: (options?: CallOptions) => calls.get<AppBilling>(path(), options),
		/** Starts a plan or moves to another one. */
		checkout: (plan: Open<AppPlan>, options?: CallOptions) =>
			calls.post<AppCheckout>(path("checkout"), { plan }, options),
		/** Ends the plan with its term. */
		cancel: (options?: CallOptions) => calls.post<AppBilling>(path("cancel"), undefined, options),
		/** Takes a cancellation back. */
		resume: (options?: CallOptions) => calls.post<AppBilling>(path("resume"), undefined, options),
		changePaymentMethod: (options?: CallOptions) =>
			calls.post<PaymentMethodPage>(path("payment_method"), undefined, options),
		invoices: pagesOf<Invoice>(transport, path("invoices")),
	};
}
