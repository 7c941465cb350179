import type { Interval } from "@svc/base/enumerations";

/** What the payment processor is asked to charge, in its own terms. */
export interface ProcessorPrice {
	readonly amount: number;
	readonly currency: string;
	readonly interval: Interval;
	/** What the payer reads. */
	readonly title: string;
}

/** A payer is sent to the processor's own page to start a subscription. */
export interface CheckoutIntent {
	/** Public id of our checkout; the same intent sent twice opens one. */
	readonly id: string;
	readonly customer: string;
	readonly price: string;
	readonly trialDays: number;
	readonly title: string;
	/** The name of the seller. */
	readonly seller: string;
	readonly successUrl: string;
	readonly cancelUrl: string;
}

export interface ProcessorInvoice {
	readonly ref: string;
	/** The status in the processor's own words; `open`, `paid` and `void` mean what they say. */
	readonly status: string;
	readonly amountDue: number;
	readonly amountPaid: number;
	readonly amountRefunded: number;
	readonly currency: string;
	readonly createdMs: number;
}

/** A subscription as the processor has it now. */
export interface Snapshot {
	readonly ref: string;
	/** Public id of the checkout of ours that began it; empty where none did, or nothing was paid or promised yet. */
	readonly checkout: string;
	/** The processor's id of the price that is paid for. */
	readonly price: string;
	/** The status in the processor's own words; `trialing`, `active`, `past_due` and `canceled` mean what they say. */
	readonly status: string;
	readonly trialEndMs: number | null;
	readonly periodStartMs: number;
	readonly periodEndMs: number;
	readonly cancelAtPeriodEnd: boolean;
	readonly cancelAtMs: number | null;
	/** What it becomes at the next renewal. */
	readonly pending: { readonly price: string; readonly atMs: number } | null;
	readonly startedMs: number;
	readonly endedMs: number | null;
	/** The invoices, oldest first. */
	readonly invoices: readonly ProcessorInvoice[];
}

/** Something happened to a subscription; its present state has to be read. */
export interface ProcessorEvent {
	readonly id: string;
	readonly type: string;
	/** Null for what concerns no subscription. */
	readonly subscription: string | null;
}

/** How the simulated processor continues a subscription. `silent`: it answers nothing until it is given another outcome. */
export const SIMULATED_OUTCOMES = ["pay", "decline", "bank_confirmation", "silent", "refund_later"] as const;

export type SimulatedOutcome = (typeof SIMULATED_OUTCOMES)[number];

/** What a payer does on the simulated processor's page. */
export const SIMULATED_CARDS = ["pays", "declines", "needs_bank"] as const;

export type SimulatedCard = (typeof SIMULATED_CARDS)[number];

/** The simulated processor's own page in its present state. */
export interface SimulatedPage {
	readonly ref: string;
	readonly purpose: "subscribe" | "payment_method";
	readonly title: string;
	readonly seller: string;
	/** Null where a card is only kept for later. */
	readonly price: ProcessorPrice | null;
	readonly trialDays: number;
	readonly state: "open" | "confirming" | "done";
	readonly successUrl: string;
	readonly cancelUrl: string;
}

export interface Simulation {
	findPage(ref: string): Promise<SimulatedPage | undefined>;
	/** The page after the payer's step; `declined` when the card was. */
	submit(
		ref: string,
		step: { readonly card: SimulatedCard } | { readonly confirmed: boolean },
	): Promise<{ readonly page: SimulatedPage; readonly declined: boolean } | undefined>;
	/** False for a subscription that it does not know. */
	tell(subscription: string, outcome: SimulatedOutcome): Promise<boolean>;
	/** Does what has come due: renewals, and deliveries that were not taken. */
	catchUp(): Promise<void>;
}

/**
 * The payment processor. Amounts are in the smallest unit. Every call may be repeated: it is idempotent by the ids that it is given.
 * @throws Error, or Failure server_error, when the processor cannot be reached or does not do it
 */
export interface Processor {
	/** Part of every stored reference, so that ids of two processors never meet. */
	readonly name: string;
	/** False where no processor takes payments: what is sold cannot be bought. */
	readonly takesPayments: boolean;
	ensurePrice(id: string, price: ProcessorPrice): Promise<string>;
	ensureCustomer(id: string, customer: { readonly email: string; readonly name: string }): Promise<string>;
	checkout(intent: CheckoutIntent): Promise<{ readonly ref: string; readonly url: string }>;
	/** The subscription that a completed checkout began; undefined while it is not completed. */
	findCompleted(checkout: string): Promise<string | undefined>;
	retrieve(subscription: string): Promise<Snapshot>;
	/** `when_paid` charges at once and keeps the old price until that is paid; during a trial either takes effect at once. */
	change(subscription: string, price: string, when: "when_paid" | "renewal"): Promise<Snapshot>;
	/** `now` also voids what is unpaid. A subscription that has ended stays as it is. */
	cancel(subscription: string, when: "period_end" | "now"): Promise<Snapshot>;
	/** Withdraws a cancellation at the period's end. */
	resume(subscription: string): Promise<Snapshot>;
	/** Ends it at once, voids what is unpaid, and refunds everything that it can; a later call refunds the rest. */
	withdraw(subscription: string): Promise<Snapshot>;
	/** The page where the payer changes the payment method. */
	paymentMethodUrl(subscription: string, returnUrl: string): Promise<string>;
	/** @throws Failure unauthorized for a delivery that the processor did not sign */
	parseEvent(raw: string, headers: Headers): Promise<ProcessorEvent>;
	/** Does what the processor leaves to its clients after an event; absent where it leaves nothing. */
	settle?(event: ProcessorEvent): Promise<void>;
	/** Only the simulated processor has it. */
	readonly simulation?: Simulation;
}
