import type { Actor } from "@svc/base/actor";
import type { DisputeState, Interval, TaxBehavior } from "@svc/base/enumerations";

/** What the payment processor is asked to charge, in its own terms. */
export interface ProcessorPrice {
	readonly amount: number;
	readonly currency: string;
	readonly interval: Interval;
	/** Whether the amount holds its tax; null where no tax is taken. Fixed for as long as the price is paid. */
	readonly taxBehavior: TaxBehavior | null;
	/** What the payer reads. */
	readonly title: string;
}

/** A price as the simulated processor keeps it; what an earlier release stored says nothing of tax. */
export interface SimulatedPrice extends Omit<ProcessorPrice, "taxBehavior"> {
	readonly taxBehavior?: TaxBehavior | null;
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
	/** As the price has it. */
	readonly taxBehavior: TaxBehavior | null;
	/** Whether the payer may enter one of the processor's own promotion codes. */
	readonly promotionCodes: boolean;
	readonly successUrl: string;
	readonly cancelUrl: string;
}

/** What an invoice charges for, or, below zero, gives back within itself. */
export interface InvoiceLine {
	readonly description: string;
	readonly quantity: number;
	readonly amount: number;
	readonly periodStartMs: number;
	readonly periodEndMs: number;
}

export interface ProcessorInvoice {
	readonly ref: string;
	/** The status in the processor's own words; `open`, `paid` and `void` mean what they say. */
	readonly status: string;
	readonly amountDue: number;
	readonly amountPaid: number;
	readonly amountRefunded: number;
	/** What the payer's bank holds of it, until a dispute is decided: it cannot be paid back meanwhile. */
	readonly amountDisputed: number;
	readonly currency: string;
	readonly periodStartMs: number;
	readonly periodEndMs: number;
	/** Without tax; a discount is one of them. */
	readonly lines: readonly InvoiceLine[];
	/** The sum of the lines. */
	readonly subtotal: number;
	readonly tax: number;
	/** With tax, before credit: what is due may be less. Below zero where it gives credit. */
	readonly total: number;
	readonly paidMs: number | null;
	/** The processor's own page of it; null where it has none. */
	readonly processorUrl: string | null;
	readonly createdMs: number;
}

/** What a change of the price costs, before it is made. */
export interface ProcessorPreview {
	/** What is charged at once. */
	readonly amountNow: number;
	readonly currency: string;
	/** What the payer has left for later invoices, once the change is made. */
	readonly credit: number;
	/** What is charged next, at `nextMs`. */
	readonly nextAmount: number;
	readonly nextMs: number;
	readonly effectiveMs: number;
	readonly lines: readonly InvoiceLine[];
}

/** Part of what an invoice took is paid back. */
export interface RefundIntent {
	/** Public and our own: the same one sent twice pays back once. */
	readonly id: string;
	readonly invoice: string;
	readonly amount: number;
	readonly reason: string;
}

/** A payment that the payer's bank asked back; of several the newest. */
export interface ProcessorDispute {
	readonly state: DisputeState;
	readonly amount: number;
	readonly atMs: number;
	/** Until when the processor wants an answer; null where it wants none. */
	readonly dueMs: number | null;
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
	/** The price that it has once `amount` is paid. */
	readonly unpaidChange: { readonly price: string; readonly amount: number } | null;
	/** What the payer is owed, and later invoices use up. */
	readonly credit: number;
	/** What the next term costs with tax and discount, before credit; null where that is its price alone. */
	readonly nextTotal: number | null;
	/** When the processor tries an unpaid renewal again by itself; left out where it does not. */
	readonly nextTryMs?: number | undefined;
	/** Its term goes on for longer than was paid for: no change costs anything, or takes effect, before that is over. */
	readonly extended: boolean;
	/** Nothing is collected until further notice: invoices are void, and a trial does not end. */
	readonly collectionPaused: boolean;
	readonly dispute: ProcessorDispute | null;
	readonly startedMs: number;
	readonly endedMs: number | null;
	/** The invoices, oldest first. What a lost dispute took counts as paid back. */
	readonly invoices: readonly ProcessorInvoice[];
}

/** What a list of the processor tells of a subscription that has not ended. */
export type ListedSubscription = Pick<
	Snapshot,
	"ref" | "checkout" | "price" | "status" | "periodEndMs" | "cancelAtPeriodEnd"
>;

/** The processor answers, and has no subscription of that name. */
export class UnknownSubscription extends Error {
	override readonly name = "UnknownSubscription";

	constructor(ref: string) {
		super(`The payment processor has no subscription ${ref}.`);
	}
}

/** Whose account of the processor it is; null for what there is none of, or what is not known. */
export interface ProcessorAccount {
	readonly account: string | null;
	readonly mode: "test" | "live" | null;
}

/** What the database keeps of its processor. */
export interface ProcessorIdentity extends ProcessorAccount {
	readonly name: string;
}

/** Something happened to a subscription; its present state has to be read. */
export interface ProcessorEvent {
	readonly id: string;
	readonly type: string;
	/** Null for what concerns no subscription. */
	readonly subscription: string | null;
}

/** How the simulated processor continues a subscription. `silent`: it answers nothing until it is given another outcome. */
const PAYMENT_OUTCOMES = ["pay", "decline", "bank_confirmation", "silent", "refund_later"] as const;

/** What becomes of the newest payment, whatever the next ones do. */
const DISPUTE_OUTCOMES = ["dispute", "dispute_won", "dispute_lost"] as const;

export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];
export type DisputeOutcome = (typeof DISPUTE_OUTCOMES)[number];

export const SIMULATED_OUTCOMES = [...PAYMENT_OUTCOMES, ...DISPUTE_OUTCOMES] as const;

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
	readonly price: SimulatedPrice | null;
	/** What one term costs, and what of it is tax. */
	readonly term: Pick<ProcessorInvoice, "subtotal" | "tax" | "total"> | null;
	readonly trialDays: number;
	readonly state: "open" | "confirming" | "done" | "closed";
	/** Public id of our checkout; empty where a card is only kept for later. */
	readonly checkout: string;
	/** The subscription that it began, or whose card it changes. */
	readonly subscription: string | null;
	readonly successUrl: string;
	readonly cancelUrl: string;
}

/** Who decides how a payment goes, and of which subscription of ours. */
export interface Simulated {
	readonly by: Actor;
	readonly appPk: number;
	readonly target: string;
}

export interface Simulation {
	findPage(ref: string): Promise<SimulatedPage | undefined>;
	/** The page after the payer's step; `declined` when the card was. */
	submit(
		ref: string,
		step: { readonly card: SimulatedCard } | { readonly confirmed: boolean },
	): Promise<{ readonly page: SimulatedPage; readonly declined: boolean } | undefined>;
	/** False for a subscription that it does not know. With `by` it is audited under that public id, whether or not it changes anything. */
	tell(subscription: string, outcome: SimulatedOutcome, audited?: Simulated): Promise<boolean>;
	/** Does what has come due: renewals, and deliveries that were not taken. */
	catchUp(): Promise<void>;
}

/** When another price takes effect. */
export type ChangeTime = "when_paid" | "renewal";

/**
 * The payment processor. Amounts are in the smallest unit. Every call may be repeated: it is idempotent by the ids that it is given.
 * @throws Error, or Failure server_error, when the processor cannot be reached or does not do it
 */
export interface Processor {
	/** Part of every stored reference, so that ids of two processors never meet. */
	readonly name: string;
	/** Whether it takes real money; null where there is only one kind. */
	readonly mode: ProcessorAccount["mode"];
	/** Null where there is only one account. */
	findAccount(): Promise<string | null>;
	/** False where no processor takes payments: what is sold cannot be bought. */
	readonly takesPayments: boolean;
	ensurePrice(id: string, price: ProcessorPrice): Promise<string>;
	ensureCustomer(id: string, customer: { readonly email: string; readonly name: string }): Promise<string>;
	checkout(intent: CheckoutIntent): Promise<{ readonly ref: string; readonly url: string }>;
	/** From now on nobody can pay at it, which asked again changes nothing; false for one that has been paid. */
	closeCheckout(checkout: string): Promise<boolean>;
	/** The subscription that a completed checkout began; undefined while it is not completed. */
	findCompleted(checkout: string): Promise<string | undefined>;
	/** @throws UnknownSubscription */
	retrieve(subscription: string): Promise<Snapshot>;
	/** Every subscription that a checkout of ours began, and that has not ended. */
	listLive(): AsyncIterable<ListedSubscription>;
	/** The ids of subscriptions of which money was paid back, or asked back by a bank, since then; one may come twice. */
	listPaidBack(sinceMs: number): AsyncIterable<string>;
	/** What `change` would cost at that time. */
	preview(subscription: string, price: string, when: ChangeTime, atMs: number): Promise<ProcessorPreview>;
	/**
	 * `when_paid` charges at once and keeps the old price until that is paid; during a trial either takes effect at once, and in an extended
	 * term either waits for its end. What is left of the term is counted from `atMs`, so that a change costs what its preview for that time said; left out, from now.
	 */
	change(subscription: string, price: string, when: ChangeTime, atMs?: number): Promise<Snapshot>;
	/** From `atMs` on nothing is collected: what is unpaid is void, terms go on as if they were paid, and a trial does not end. */
	pauseCollection(subscription: string, atMs: number): Promise<Snapshot>;
	/** The next regular renewal is charged again; a trial that would be over ends a day later. */
	resumeCollection(subscription: string): Promise<Snapshot>;
	/** Moves the end of the trial, or of the term that is paid for, to a later time, without a charge. One that ends no sooner stays. */
	extend(subscription: string, untilMs: number): Promise<Snapshot>;
	refund(subscription: string, intent: RefundIntent): Promise<Snapshot>;
	/** Drops a change that was not paid for. `now` also voids what is unpaid. A subscription that has ended stays as it is. */
	cancel(subscription: string, when: "period_end" | "now"): Promise<Snapshot>;
	/** Takes a cancellation at the period's end back. */
	resume(subscription: string): Promise<Snapshot>;
	/** Ends it at once, voids what is unpaid, and refunds everything that it can; a later call refunds the rest. */
	withdraw(subscription: string): Promise<Snapshot>;
	/** The page where the payer changes the payment method. */
	paymentMethodUrl(subscription: string, returnUrl: string): Promise<string>;
	/**
	 * Undefined for a signed delivery that names nothing that could be asked for.
	 * @throws Failure unauthorized for a delivery that the processor did not sign
	 */
	parseEvent(raw: string, headers: Headers): Promise<ProcessorEvent | undefined>;
	/** Does what the processor leaves to its clients after an event; absent where it leaves nothing. */
	settle?(event: ProcessorEvent): Promise<void>;
	/** Only the simulated processor has it. */
	readonly simulation?: Simulation;
}
