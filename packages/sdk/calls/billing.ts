import type {
	AppBilling,
	AppCheckout,
	AppPlanChange,
	ChangePreview,
	Interval,
	Invoice,
	ManagedPlan,
	ManagedPrice,
	ManagedSubscription,
	OwnPlan,
	OwnPlanKey,
	PaymentMethodPage,
	UserLimits,
} from "../shapes.ts";
import type { Open } from "../types.ts";
import { type Calls, dateText, pagesOf, pathOf, withOldNames } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";

export interface PlanDescription {
	readonly name?: string | undefined;
	readonly description?: string | undefined;
	readonly benefits?: readonly string[] | undefined;
	/** Buyers see lower ones first. Default: 0. */
	readonly displayOrder?: number | undefined;
	/** What the storage of a user with the plan holds, which the service sees to; null: any number. What is not named stays, of a new plan is null. */
	readonly limits?: Partial<UserLimits> | undefined;
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
	return withOldNames(
		{
			...pagesOf<ManagedPlan>(transport, path()),
			/** It is on sale once it has a price. */
			create: ({ displayOrder, ...plan }: NewPlan, options?: PostOptions) =>
				calls.post<ManagedPlan>(path(), { ...plan, display_order: displayOrder }, options),
			edit: (id: string, { displayOrder, ...changes }: PlanDescription, options?: CallOptions) =>
				calls.patch<ManagedPlan>(path(id), { ...changes, display_order: displayOrder }, options),
			/** Takes it off sale for good; its subscribers keep it. */
			archive: (id: string, options?: CallOptions) => calls.post<ManagedPlan>(path(id, "archive"), undefined, options),
			/** The price is on sale at once; its terms never change. */
			createPrice: (id: string, { trialDays, ...terms }: NewPrice, options?: PostOptions) =>
				calls.post<ManagedPrice>(path(id, "prices"), { ...terms, trial_days: trialDays }, options),
			/** Subscribers of the price go on paying it. */
			setOnSale: (id: string, priceId: string, onSale: boolean, options?: CallOptions) =>
				calls.patch<ManagedPrice>(path(id, "prices", priceId), { on_sale: onSale }, options),
		},
		{
			/** @deprecated It is called `edit`. */ update: "edit",
			/** @deprecated It is called `createPrice`. */ addPrice: "createPrice",
		},
	);
}

/** What a person pays for, in Apps, for storages, and for the Apps that they own. */
export function ownPlansOf(transport: Transport, calls: Calls) {
	const path = (...rest: string[]) => pathOf("me", "plans", ...rest);
	return {
		...pagesOf<OwnPlan>(transport, path()),
		get: (id: string, options?: CallOptions) => calls.get<OwnPlan>(path(id), options),
		/** Ends a plan with its term; what is paid for stays until then. */
		cancel: (id: string, options?: CallOptions) => calls.assure<OwnPlan>(path(id, "cancel"), options),
		/** Takes a cancellation back. */
		resume: (id: string, options?: CallOptions) => calls.assure<OwnPlan>(path(id, "resume"), options),
		/** Ends a plan at once and pays everything back. @throws ApiError `state_conflict` when the time for it is over */
		withdraw: (id: string, options?: CallOptions) => calls.post<OwnPlan>(path(id, "withdraw"), undefined, options),
		/** What a change to another price of the same seller would cost now. */
		preview: (id: string, priceId: string, options?: CallOptions) =>
			calls.get<ChangePreview>(path(id, "preview"), { ...options, query: { price_id: priceId } }),
		invoices: (id: string) => pagesOf<Invoice>(transport, path(id, "invoices")),
	};
}

export interface Refund {
	readonly invoice: string;
	readonly amount?: number | undefined;
	readonly reason: string;
}

/** Who pays an App, with their invoices and refunds. */
export function subscriptionsOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "subscriptions", ...rest);
	return {
		...pagesOf<ManagedSubscription>(transport, path()),
		get: (id: string, options?: CallOptions) => calls.get<ManagedSubscription>(path(id), options),
		/** Pays an invoice back: all that is left of it, or an amount in the smallest unit; its payer reads the reason. */
		refund: (id: string, { invoice, amount, reason }: Refund, options?: PostOptions) =>
			calls.post<Invoice>(path(id, "refund"), { invoice, amount, reason }, options),
	};
}

export interface AppCheckoutOptions {
	readonly interval?: Open<Interval> | undefined;
	/** `at` of a preview of the last 15 minutes: what it said is what is charged. */
	readonly at?: Date | string | undefined;
}

/** The App's own plan, and what it pays for it. */
export function appBillingOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "billing", ...rest);
	return {
		get: (options?: CallOptions) => calls.get<AppBilling>(path(), options),
		/** Starts a plan or moves to another one; by the month, unless the interval says otherwise. */
		checkout: (plan: Open<OwnPlanKey>, { interval, at, ...options }: CallOptions & AppCheckoutOptions = {}) =>
			calls.post<AppCheckout>(path("checkout"), { plan, interval, at: dateText(at) }, options),
		/** What a change of the plan that the App pays for would cost. @throws ApiError `state_conflict` where it pays for none */
		preview: (
			plan: Open<OwnPlanKey>,
			{ interval, ...options }: CallOptions & Pick<AppCheckoutOptions, "interval"> = {},
		) => calls.get<AppPlanChange>(path("preview"), { ...options, query: { plan, interval } }),
		/** Ends the plan with its term. */
		cancel: (options?: CallOptions) => calls.post<AppBilling>(path("cancel"), undefined, options),
		/** Takes a cancellation back. */
		resume: (options?: CallOptions) => calls.post<AppBilling>(path("resume"), undefined, options),
		changePaymentMethod: (options?: CallOptions) =>
			calls.post<PaymentMethodPage>(path("payment_method"), undefined, options),
		invoices: pagesOf<Invoice>(transport, path("invoices")),
	};
}
