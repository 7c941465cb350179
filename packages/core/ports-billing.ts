import type { Mandate } from "@svc/apps/mandates";
import type { AppPlan } from "@svc/apps/plans";
import type { By } from "@svc/base/actor";
import type { NewMail } from "@svc/mail/mail";
import type { ProcessorEvent, Snapshot } from "./ports-processor.ts";
import type { PlanFields, Price, PriceTerms, SoldPlan } from "./sold-plans.ts";
import type { Bought, Subscriber, Subscription } from "./subscriptions.ts";

/* What is asked of the world about money; see ports.ts. */

export type NewSoldPlan = PlanFields & Pick<SoldPlan, "id" | "key" | "appPk">;
export type NewPrice = PriceTerms & Pick<Price, "id">;

/** Why nothing was changed, whatever was to be. */
export type PlanRefusal = "mandate" | "selling_off";

/** Every change is refused, and nothing of it written, while the App may not sell, or by who lost their role. */
export interface PlanStore {
	find(appPk: number, id: string): Promise<SoldPlan | undefined>;
	/** Newest first, archived ones too. */
	list(
		appPk: number,
		page: { readonly limit: number; readonly beforePk: number | undefined },
	): Promise<readonly SoldPlan[]>;
	/** By display order, then name: unarchived plans that have a price on sale, with those prices only. */
	listOnSale(
		appPk: number,
		page: { readonly limit: number; readonly afterPk: number | undefined },
	): Promise<readonly SoldPlan[]>;
	/** A price of this App with its plan, whether or not either is on sale. */
	findPrice(appPk: number, priceId: string): Promise<{ readonly plan: SoldPlan; readonly price: Price } | undefined>;
	/** Whether the App may sell now. */
	isSelling(appPk: number): Promise<boolean>;
	create(plan: NewSoldPlan, mandate: Mandate): Promise<PlanRefusal | "key_taken" | "full" | undefined>;
	/** `moved` when the plan is not any more what `before` says. */
	update(before: SoldPlan, after: PlanFields, mandate: Mandate): Promise<PlanRefusal | "moved" | undefined>;
	archive(plan: SoldPlan, mandate: Mandate): Promise<PlanRefusal | "archived" | undefined>;
	addPrice(plan: SoldPlan, price: NewPrice, mandate: Mandate): Promise<PlanRefusal | "archived" | "full" | undefined>;
	setOnSale(
		plan: SoldPlan,
		price: Price,
		onSale: boolean,
		mandate: Mandate,
	): Promise<PlanRefusal | "archived" | undefined>;
}

/** Somebody was sent to the processor to pay. */
export interface NewCheckout {
	readonly id: string;
	readonly subscriber: Subscriber;
	readonly bought:
		| Pick<Extract<Bought, { subject: "user" }>, "subject" | "pricePk">
		| Extract<Bought, { subject: "app" }>;
	readonly trialDays: number;
	/** Where the browser goes afterwards, with `state`; null for a page of ours. */
	readonly redirectUri: string | null;
	readonly state: string | null;
	readonly processor: string;
	readonly ref: string;
}

export interface Checkout {
	readonly pk: number;
	readonly id: string;
	readonly subscriber: Subscriber;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	readonly trialDays: number;
	readonly redirectUri: string | null;
	readonly state: string | null;
	readonly processor: string;
	readonly ref: string;
	/** Public id of the account that opened it. */
	readonly startedBy: string;
	readonly doneMs: number | null;
}

/** A subscription of the processor as it was just read, in our own terms. */
export interface Reading {
	readonly processor: string;
	readonly snapshot: Snapshot;
	/** What was known when the reading began; undefined for a new one. */
	readonly before: Subscription | undefined;
	readonly id: string;
	readonly subscriber: Subscriber;
	readonly bought: Bought;
	readonly pending: { readonly bought: Bought; readonly atMs: number } | null;
	readonly grantedPlan: AppPlan | null;
	/** Who may have one trial only; empty for an App's own plan. */
	readonly trialMacs: readonly Uint8Array[];
	readonly mails: readonly NewMail[];
	readonly by: By;
}

export interface Invoice {
	readonly pk: number;
	readonly id: string;
	readonly status: string;
	readonly amountDue: number;
	readonly amountPaid: number;
	readonly amountRefunded: number;
	readonly currency: string;
	readonly createdMs: number;
}

/** A subscription as the App's team sees it. */
export interface OwnedSubscription extends Subscription {
	/** Null for the App's own plan. */
	readonly userId: string | null;
	readonly invoices: readonly Invoice[];
}

export interface Withdrawal {
	readonly subscription: Subscription;
	/** Withdrawing uses the trial up. */
	readonly trialMacs: readonly Uint8Array[];
	readonly mail: NewMail;
	readonly by: By;
}

/** A person connected to an App, as somebody who pays. */
export interface Payer {
	readonly connectionPk: number;
	readonly connectionId: string;
	readonly accountId: string;
	readonly email: string;
	/** As addresses are compared. */
	readonly emailNorm: string;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	/** Whose plans there are to buy: the App's own, or the service's. */
	readonly seller: { readonly pk: number; readonly name: string; readonly selling: boolean };
}

export interface PayerStore {
	/** Whoever is connected and has this storage. */
	findByStorage(storagePk: number): Promise<Payer | undefined>;
	/** Whoever is connected to this App. */
	findByAccount(appPk: number, accountPk: number): Promise<Payer | undefined>;
	/** Connected or not any more. */
	findByConnection(connectionPk: number): Promise<Payer | undefined>;
	/** Whether any of these has had a trial in this App. */
	hadTrial(appPk: number, macs: readonly Uint8Array[]): Promise<boolean>;
}

/** What the processor calls something of ours: `id` is a public id, or names an App's own plan. */
export interface RefStore {
	find(processor: string, id: string): Promise<string | undefined>;
	/** Keeps the first; gives what is kept. */
	save(processor: string, id: string, ref: string, nowMs: number): Promise<string>;
	findPrice(processor: string, ref: string): Promise<Bought | undefined>;
}

export interface SubscriptionStore {
	addCheckout(checkout: NewCheckout, by: By): Promise<void>;
	findCheckout(id: string): Promise<Checkout | undefined>;
	find(id: string): Promise<Subscription | undefined>;
	findByRef(processor: string, ref: string): Promise<Subscription | undefined>;
	/** The one that has not ended. */
	findLive(subscriber: Subscriber): Promise<Subscription | undefined>;
	/** The live one, or else the one that ended last. */
	findLatest(subscriber: Subscriber): Promise<Subscription | undefined>;
	/**
	 * The mirror, its invoices and the App's plan in one commit. `moved` when another reading was saved since this one began, `second` for
	 * a new live one beside another live one of the same subscriber.
	 */
	save(reading: Reading): Promise<"moved" | "second" | "trial_used" | undefined>;
	/** Remembers that the subscriber withdrew, before the processor is asked; false when it has ended or was withdrawn from already. */
	markWithdrawn(withdrawal: Withdrawal): Promise<boolean>;
	/** Withdrawn from, and not ended or not wholly paid back. */
	listWithdrawing(processor: string, limit: number): Promise<readonly Subscription[]>;
	/** Live ones of whoever is not connected any more, or of an App that is being deleted. */
	listOrphans(processor: string, limit: number): Promise<readonly Subscription[]>;
	/** In a trial that ends by `beforeMs` and renews, and nobody was told so yet. */
	listTrialsEnding(processor: string, nowMs: number, beforeMs: number, limit: number): Promise<readonly Subscription[]>;
	/** Tells the subscriber, unless they have cancelled meanwhile. */
	warnOfTrialEnd(subscription: Subscription, mail: NewMail, nowMs: number): Promise<void>;
	/** Of one App, both kinds; newest first. */
	list(
		appPk: number,
		page: { readonly limit: number; readonly beforePk: number | undefined },
	): Promise<readonly OwnedSubscription[]>;
	/** Of each of these users of an App, by user id, the live one or else the one that ended last. */
	listLatest(appPk: number, userIds: readonly string[]): Promise<ReadonlyMap<string, Subscription>>;
	findOwned(appPk: number, id: string): Promise<OwnedSubscription | undefined>;
	/** Live ones whose term is over by `nowMs`, or that are unpaid since before `graceBeforeMs`; soonest first. */
	listDue(processor: string, nowMs: number, graceBeforeMs: number, limit: number): Promise<readonly Subscription[]>;
	/** Of an App's own plan, newest first. */
	listOwnInvoices(
		appPk: number,
		page: { readonly limit: number; readonly beforePk: number | undefined },
	): Promise<readonly Invoice[]>;
	/** False for a delivery that was taken before. */
	takeEvent(processor: string, event: ProcessorEvent, nowMs: number): Promise<boolean>;
	endEvent(processor: string, eventId: string, nowMs: number): Promise<void>;
	/** Deliveries that were taken from `fromMs` on and before `beforeMs`, and are not worked off; newest first. */
	listEvents(
		processor: string,
		taken: { readonly fromMs: number; readonly beforeMs: number },
		limit: number,
	): Promise<readonly ProcessorEvent[]>;
}
