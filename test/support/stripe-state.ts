import {
	type FakeCharge,
	type FakeCredit,
	type FakeCustomer,
	type FakeDispute,
	type FakeEvent,
	type FakeInvoice,
	type FakePayment,
	type FakePrice,
	type FakeRefund,
	type FakeSchedule,
	type FakeSession,
	type FakeSubscription,
	fakeId,
} from "./stripe-objects.ts";

/** How a payment with a card ends. */
export type CardBehaviour = "pays" | "declines" | "needs_bank";

/** What Stripe mails to payers when its settings say so. */
export const STRIPE_MAILS = [
	"receipt",
	"failed_payment",
	"bank_confirmation",
	"expiring_card",
	"upcoming_renewal",
	"cancellation",
] as const;
export type StripeMail = (typeof STRIPE_MAILS)[number];

export interface CheckoutTerms {
	readonly price: FakePrice;
	readonly trialDays: number;
	readonly metadata: Readonly<Record<string, string>>;
	readonly description: string | null;
	readonly taxed: boolean;
	readonly discounts: readonly string[];
}

/** All that the fake Stripe knows. */
export class StripeState {
	account = "acct_first";
	readonly prices = new Map<string, FakePrice>();
	readonly customers = new Map<string, FakeCustomer>();
	readonly sessions = new Map<string, FakeSession>();
	/** By session. */
	readonly terms = new Map<string, CheckoutTerms>();
	readonly subscriptions = new Map<string, FakeSubscription>();
	readonly schedules = new Map<string, FakeSchedule>();
	readonly invoices = new Map<string, FakeInvoice>();
	readonly payments: FakePayment[] = [];
	readonly charges: FakeCharge[] = [];
	readonly refunds: FakeRefund[] = [];
	readonly credits: FakeCredit[] = [];
	readonly disputes: FakeDispute[] = [];
	readonly cards = new Map<string, CardBehaviour>();
	/** Payment intents that cannot be paid back at present. */
	readonly held = new Set<string>();
	/** How many percents off the promotion codes take that payers enter, wherever a checkout lets them. */
	promotion = 10;
	/** How long a renewal's invoice stays a draft before it is collected. */
	draftSeconds = 0;
	/** Oldest first; those that nobody delivered yet. */
	readonly events: FakeEvent[] = [];
	/** What went to payers, as Stripe's settings for mail let it. */
	readonly mailbox: { readonly to: string; readonly kind: StripeMail }[] = [];
	readonly #clock: { now(): number };
	readonly apiVersion: string;

	constructor(clock: { now(): number }, apiVersion: string) {
		this.#clock = clock;
		this.apiVersion = apiVersion;
	}

	/** Seconds. */
	now(): number {
		return Math.floor(this.#clock.now() / 1_000);
	}

	emit(type: string, object: object, previous?: Readonly<Record<string, unknown>>): void {
		this.events.push({
			id: fakeId("evt"),
			object: "event",
			api_version: this.apiVersion,
			created: this.now(),
			type,
			livemode: false,
			pending_webhooks: 1,
			request: { id: null, idempotency_key: null },
			data: { object: structuredClone(object), ...(previous && { previous_attributes: previous }) },
		});
	}

	mail(customer: string, kind: StripeMail): void {
		const to = this.customers.get(customer)?.email;
		if (to) this.mailbox.push({ to, kind });
	}

	addCard(behaviour: CardBehaviour): string {
		const id = fakeId("pm");
		this.cards.set(id, behaviour);
		return id;
	}

	/** What a subscription is paid with: its own card, else its payer's. */
	cardOf({ default_payment_method, customer }: FakeSubscription): string | null {
		return default_payment_method ?? this.customers.get(customer)?.invoice_settings.default_payment_method ?? null;
	}

	invoicesOf(subscription: string): FakeInvoice[] {
		return [...this.invoices.values()].filter(
			({ parent }) => parent.subscription_details.subscription === subscription,
		);
	}
}

/** What a map or list holds under an id that is known to be there. */
export function held<T>(value: T | undefined, what: string): T {
	if (value === undefined) throw new Error(`The fake Stripe lost ${what}.`);
	return value;
}
