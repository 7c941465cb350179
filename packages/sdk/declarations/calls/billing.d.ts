import type { AppBilling, AppCheckout, AppPlanChange, ChangePreview, Interval, Invoice, ManagedPlan, ManagedPrice, ManagedSubscription, OwnPlan, OwnPlanKey, PaymentMethodPage, UserLimits } from "../shapes.js";
import type { Open } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
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
export declare function plansOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<ManagedPlan>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<ManagedPlan, void, undefined>;
    /** It is on sale once it has a price. */
    create: ({ displayOrder, ...plan }: NewPlan, options?: PostOptions) => Promise<ManagedPlan>;
    edit: (id: string, { displayOrder, ...changes }: PlanDescription, options?: CallOptions) => Promise<ManagedPlan>;
    /** Takes it off sale for good; its subscribers keep it. */
    archive: (id: string, options?: CallOptions) => Promise<ManagedPlan>;
    /** The price is on sale at once; its terms never change. */
    createPrice: (id: string, { trialDays, ...terms }: NewPrice, options?: PostOptions) => Promise<ManagedPrice>;
    /** Subscribers of the price go on paying it. */
    setOnSale: (id: string, priceId: string, onSale: boolean, options?: CallOptions) => Promise<ManagedPrice>;
} & {
    readonly update: (id: string, { displayOrder, ...changes }: PlanDescription, options?: CallOptions) => Promise<ManagedPlan>;
    readonly addPrice: (id: string, { trialDays, ...terms }: NewPrice, options?: PostOptions) => Promise<ManagedPrice>;
};
/** What a person pays for, in Apps, for storages, and for the Apps that they own. */
export declare function ownPlansOf(transport: Transport, calls: Calls): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<OwnPlan>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<OwnPlan, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<OwnPlan>;
    /** Ends a plan with its term; what is paid for stays until then. */
    cancel: (id: string, options?: CallOptions) => Promise<OwnPlan>;
    /** Takes a cancellation back. */
    resume: (id: string, options?: CallOptions) => Promise<OwnPlan>;
    /** Ends a plan at once and pays everything back. @throws ApiError `state_conflict` when the time for it is over */
    withdraw: (id: string, options?: CallOptions) => Promise<OwnPlan>;
    /** What a change to another price of the same seller would cost now. */
    preview: (id: string, priceId: string, options?: CallOptions) => Promise<ChangePreview>;
    invoices: (id: string) => import("../wire/calls.js").Pages<Invoice, {}, import("../types.js").List<Invoice>>;
};
export interface Refund {
    readonly invoice: string;
    readonly amount?: number | undefined;
    readonly reason: string;
}
/** Who pays an App, with their invoices and refunds. */
export declare function subscriptionsOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<ManagedSubscription>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<ManagedSubscription, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<ManagedSubscription>;
    /** Pays an invoice back: all that is left of it, or an amount in the smallest unit; its payer reads the reason. */
    refund: (id: string, { invoice, amount, reason }: Refund, options?: PostOptions) => Promise<Invoice>;
};
export interface AppCheckoutOptions {
    readonly interval?: Open<Interval> | undefined;
    /** `at` of a preview of the last 15 minutes: what it said is what is charged. */
    readonly at?: Date | string | undefined;
}
/** The App's own plan, and what it pays for it. */
export declare function appBillingOf(transport: Transport, calls: Calls, appId: string): {
    get: (options?: CallOptions) => Promise<AppBilling>;
    /** Starts a plan or moves to another one; by the month, unless the interval says otherwise. */
    checkout: (plan: Open<OwnPlanKey>, { interval, at, ...options }?: CallOptions & AppCheckoutOptions) => Promise<AppCheckout>;
    /** What a change of the plan that the App pays for would cost. @throws ApiError `state_conflict` where it pays for none */
    preview: (plan: Open<OwnPlanKey>, { interval, ...options }?: CallOptions & Pick<AppCheckoutOptions, "interval">) => Promise<AppPlanChange>;
    /** Ends the plan with its term. */
    cancel: (options?: CallOptions) => Promise<AppBilling>;
    /** Takes a cancellation back. */
    resume: (options?: CallOptions) => Promise<AppBilling>;
    changePaymentMethod: (options?: CallOptions) => Promise<PaymentMethodPage>;
    invoices: import("../wire/calls.js").Pages<Invoice, {}, import("../types.js").List<Invoice>>;
};
