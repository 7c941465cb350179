import type { DisputeState } from "@svc/base/enumerations";
import type { Stripe } from "stripe";
import {
	type InvoiceLine,
	type ListedSubscription,
	type ProcessorDispute,
	type ProcessorInvoice,
	type Snapshot,
	UnknownSubscription,
} from "../ports.ts";
import { idOf, isMissing } from "./api.ts";

/* A subscription as Stripe has it, in the port's terms. */

/** Metadata key of checkouts, subscriptions and refunds: public id of our checkout. */
export const CHECKOUT_KEY = "svc_checkout";
/** Metadata key of a subscription: until when its paid term was extended, which Stripe calls a trial. */
export const EXTENDED_KEY = "svc_extended";
const PAGE = 100;
/** More than a subscription has in decades. */
const EVERY = 1_000;

export async function retrieveSubscription(api: Stripe, ref: string): Promise<Stripe.Subscription> {
	return await api.subscriptions.retrieve(ref, { expand: ["schedule"] });
}

/** There is always one item: our checkouts begin it so. */
export function itemOf({ id, items }: Stripe.Subscription): Stripe.SubscriptionItem {
	const [item] = items.data;
	if (!item) throw new Error(`Stripe's subscription ${id} is to nothing.`);
	return item;
}

export function isOver({ status }: Stripe.Subscription): boolean {
	return status === "canceled" || status === "incomplete_expired";
}

/** Stripe stores a cancellation at the period's end in one of two fields. */
export function endsWithPeriod(sub: Stripe.Subscription): boolean {
	return sub.cancel_at_period_end || (sub.cancel_at !== null && sub.cancel_at <= itemOf(sub).current_period_end);
}

/** The schedule that runs the subscription; undefined where none does. */
export function scheduleOf({ schedule }: Stripe.Subscription): Stripe.SubscriptionSchedule | undefined {
	if (schedule === null || typeof schedule === "string") return undefined;
	return schedule.status === "active" || schedule.status === "not_started" ? schedule : undefined;
}

/** The change that the schedule makes once its present phase is over. */
export function pendingOf(sub: Stripe.Subscription): Snapshot["pending"] {
	const schedule = scheduleOf(sub);
	const presentEnd = schedule?.current_phase?.end_date;
	const next = schedule?.phases.find(({ start_date }) => presentEnd !== undefined && start_date >= presentEnd);
	const price = next?.items[0]?.price;
	if (!next || !price || idOf(price) === itemOf(sub).price.id) return null;
	return { price: idOf(price), atMs: toMs(next.start_date) };
}

/** The price that it has once that is paid for. */
export function unpaidPriceOf({ pending_update }: Stripe.Subscription): string | undefined {
	const price = pending_update?.subscription_items?.[0]?.price;
	return price && idOf(price);
}

/** Lists the invoices, oldest first. */
export async function listInvoices(api: Stripe, subscription: string): Promise<readonly Stripe.Invoice[]> {
	const query = { subscription, limit: PAGE, expand: ["data.payments"] };
	const newestFirst = await api.invoices.list(query).autoPagingToArray({ limit: EVERY });
	return newestFirst.toReversed();
}

/** What became of a payer's payments after they went through. */
interface GivenBack {
	/** How much of each went back, by its payment intent: refunded, or lost in a dispute. */
	readonly refunded: ReadonlyMap<string, number>;
	readonly disputes: readonly Stripe.Dispute[];
}

/** Disputes are asked for where there is one. */
export async function listGivenBack(api: Stripe, { customer }: Stripe.Subscription): Promise<GivenBack> {
	const query = { customer: idOf(customer), limit: PAGE };
	const charges = await api.charges.list(query).autoPagingToArray({ limit: EVERY });
	const refunded = new Map<string, number>();
	const disputes: Stripe.Dispute[] = [];
	for (const { payment_intent, amount_refunded, disputed } of charges) {
		if (payment_intent === null) continue;
		const intent = idOf(payment_intent);
		const found = disputed ? await listDisputes(api, intent) : [];
		disputes.push(...found);
		const lost = found.filter(({ status }) => status === "lost");
		refunded.set(intent, (refunded.get(intent) ?? 0) + amount_refunded + sumOf(lost));
	}
	return { refunded, disputes };
}

/** A bank's inquiry takes no money, and is none; nor is a dispute that a refund has prevented. */
async function listDisputes(api: Stripe, intent: string): Promise<readonly Stripe.Dispute[]> {
	const found = await api.disputes.list({ payment_intent: intent, limit: PAGE }).autoPagingToArray({ limit: EVERY });
	return found.filter(({ status }) => !status.startsWith("warning_") && status !== "prevented");
}

const DECIDED: Readonly<Record<string, DisputeState>> = { won: "won", lost: "lost" };

function isOpen({ status }: Stripe.Dispute): boolean {
	return DECIDED[status] === undefined;
}

function aboutPaymentsOf(
	invoices: readonly Stripe.Invoice[],
	disputes: readonly Stripe.Dispute[],
): readonly Stripe.Dispute[] {
	const intents = new Set(invoices.flatMap(paymentsOf).map(({ intent }) => intent));
	return disputes.filter(({ payment_intent }) => payment_intent !== null && intents.has(idOf(payment_intent)));
}

/** The newest one that is about a payment of these. */
function disputeOf(disputes: readonly Stripe.Dispute[], invoices: readonly Stripe.Invoice[]): ProcessorDispute | null {
	const [newest] = aboutPaymentsOf(invoices, disputes).toSorted((one, other) => other.created - one.created);
	if (!newest) return null;
	const { status, amount, created, evidence_details } = newest;
	const state = DECIDED[status] ?? "open";
	const due = state === "open" ? evidence_details.due_by : null;
	return { state, amount, atMs: toMs(created), dueMs: due === null ? null : toMs(due) };
}

export interface Payment {
	readonly id: string;
	readonly intent: string;
	readonly amount: number;
}

/** The payments that went through. */
export function paymentsOf({ payments }: Stripe.Invoice): readonly Payment[] {
	return (payments?.data ?? []).flatMap(({ id, status, payment, amount_paid }) =>
		status === "paid" && payment.payment_intent
			? [{ id, intent: idOf(payment.payment_intent), amount: amount_paid ?? 0 }]
			: [],
	);
}

/** @throws UnknownSubscription */
export async function readSnapshot(api: Stripe, ref: string): Promise<Snapshot> {
	const [sub, invoices] = await known(ref, Promise.all([retrieveSubscription(api, ref), listInvoices(api, ref)]));
	// What nobody has paid, nobody was paid back.
	const givenBack = invoices.some(isPaid) ? await listGivenBack(api, sub) : NOTHING_BACK;
	return toSnapshot(sub, invoices, givenBack, await readNextTotal(api, sub));
}

const NOTHING_BACK: GivenBack = { refunded: new Map(), disputes: [] };

/** Null where the next term costs its price, or there is none; then nothing is asked. */
async function readNextTotal(api: Stripe, sub: Stripe.Subscription): Promise<number | null> {
	const { price } = itemOf(sub);
	const taxed = sub.automatic_tax?.enabled && price.tax_behavior === "exclusive";
	const renews = (sub.status === "active" || sub.status === "trialing") && !endsWithPeriod(sub);
	if (!renews || (!taxed && !discountsOf(sub))) return null;
	const schedule = scheduleOf(sub);
	const drawn = await api.invoices.createPreview(schedule ? { schedule: schedule.id } : { subscription: sub.id });
	return drawn.total;
}

/** The discounts of a subscription as another call takes them; undefined where it has none. */
export function discountsOf({ discounts }: Stripe.Subscription): { discounts: { discount: string }[] } | undefined {
	if (!discounts || discounts.length === 0) return undefined;
	return { discounts: discounts.map((one) => ({ discount: idOf(one) })) };
}

async function known<T>(ref: string, work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (cause) {
		throw isMissing(cause) ? new UnknownSubscription(ref) : cause;
	}
}

function isPaid(invoice: Stripe.Invoice): boolean {
	return paymentsOf(invoice).length > 0;
}

function toSnapshot(
	sub: Stripe.Subscription,
	invoices: readonly Stripe.Invoice[],
	{ refunded, disputes }: GivenBack,
	nextTotal: number | null,
): Snapshot {
	const { trial_end, cancel_at } = sub;
	const { current_period_start } = itemOf(sub);
	const endedAt = sub.ended_at ?? sub.canceled_at ?? sub.created;
	return {
		...toListed(sub),
		trialEndMs: trial_end === null || isExtended(sub) ? null : toMs(trial_end),
		periodStartMs: toMs(current_period_start),
		cancelAtMs: cancel_at === null ? null : toMs(cancel_at),
		pending: isOver(sub) ? null : pendingOf(sub),
		unpaidChange: unpaidChangeOf(sub, invoices),
		credit: Math.max(0, -(invoices.findLast(({ ending_balance }) => ending_balance !== null)?.ending_balance ?? 0)),
		nextTotal,
		nextTryMs: nextTryOf(invoices),
		extended: isExtended(sub),
		collectionPaused: (sub.pause_collection ?? null) !== null,
		dispute: disputeOf(disputes, invoices),
		startedMs: toMs(sub.start_date),
		endedMs: isOver(sub) ? toMs(endedAt) : null,
		invoices: invoices.map((invoice) => toInvoice(invoice, { refunded, disputes })),
	};
}

/** A paid term to which time was added at no charge. */
export function isExtended({ status, metadata }: Stripe.Subscription): boolean {
	return status === "trialing" && Boolean(metadata[EXTENDED_KEY]);
}

function nextTryOf(invoices: readonly Stripe.Invoice[]): number | undefined {
	const next = invoices.findLast(({ status }) => status === "open")?.next_payment_attempt;
	return next ? toMs(next) : undefined;
}

/** What its entry in a list tells, too. */
export function toListed(sub: Stripe.Subscription): ListedSubscription {
	const { id, metadata } = sub;
	const status = isExtended(sub) ? "active" : sub.status;
	const { price, current_period_end } = itemOf(sub);
	// A subscription that was not paid for, and has no card, belongs to no payer.
	const begun = status !== "incomplete" && status !== "incomplete_expired";
	return {
		ref: id,
		checkout: begun ? (metadata[CHECKOUT_KEY] ?? "") : "",
		price: price.id,
		status,
		periodEndMs: toMs(current_period_end),
		cancelAtPeriodEnd: endsWithPeriod(sub),
	};
}

function toInvoice(invoice: Stripe.Invoice, { refunded, disputes }: GivenBack): ProcessorInvoice {
	const { id, status, amount_due, amount_paid, currency, created } = invoice;
	// What an address of Stripe leaves out, an invoice without lines say, is shown as empty.
	const lines = invoice.lines?.data ?? [];
	const back = paymentsOf(invoice).reduce((sum, { intent }) => sum + (refunded.get(intent) ?? 0), 0);
	const amountRefunded = Math.min(back, amount_paid);
	const held = sumOf(aboutPaymentsOf([invoice], disputes).filter(isOpen));
	return {
		ref: id,
		status: status ?? "draft",
		amountDue: amount_due,
		amountPaid: amount_paid,
		amountRefunded,
		amountDisputed: Math.min(held, amount_paid - amountRefunded),
		currency,
		periodStartMs: toMs(lines.at(-1)?.period.start ?? created),
		periodEndMs: toMs(lines.at(-1)?.period.end ?? created),
		...chargedBy(invoice),
		total: invoice.total,
		paidMs: invoice.status_transitions?.paid_at ? toMs(invoice.status_transitions.paid_at) : null,
		processorUrl: invoice.hosted_invoice_url ?? null,
		createdMs: toMs(created),
	};
}

/** The lines without tax, a discount as one of them, and their sum. */
export function chargedBy(
	invoice: Pick<Stripe.Invoice, "lines" | "total" | "total_taxes" | "total_discount_amounts">,
): Pick<ProcessorInvoice, "lines" | "subtotal" | "tax"> {
	const tax = sumOf(invoice.total_taxes);
	const subtotal = invoice.total - tax;
	const lines = (invoice.lines?.data ?? []).map(toLine);
	const last = lines.at(-1);
	const off = sumOf(invoice.total_discount_amounts);
	if (last && off > 0) lines.push({ ...last, description: "Discount", quantity: 1, amount: -off });
	return { lines: invoice.lines?.has_more ? lines : addingUp(lines, subtotal), subtotal, tax };
}

/** Stripe rounds the tax of lines and of invoices apart: what that leaves over goes to the last line. */
function addingUp(lines: readonly InvoiceLine[], subtotal: number): readonly InvoiceLine[] {
	const rest = subtotal - sumOf(lines);
	return lines.map((line, place) => (place === lines.length - 1 ? { ...line, amount: line.amount + rest } : line));
}

function sumOf(amounts: readonly { readonly amount: number }[] | null | undefined): number {
	return (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
}

function toLine({ description, quantity, amount, period, taxes }: Stripe.InvoiceLineItem): InvoiceLine {
	const { start, end } = period;
	const held = (taxes ?? []).filter(({ tax_behavior }) => tax_behavior === "inclusive");
	return {
		description: description ?? "",
		quantity: quantity ?? 1,
		amount: amount - sumOf(held),
		periodStartMs: toMs(start),
		periodEndMs: toMs(end),
	};
}

function unpaidChangeOf(sub: Stripe.Subscription, invoices: readonly Stripe.Invoice[]): Snapshot["unpaidChange"] {
	const price = unpaidPriceOf(sub);
	const unpaid = invoices.findLast(({ status, billing_reason }) => {
		return status === "open" && billing_reason === "subscription_update";
	});
	return price === undefined || !unpaid ? null : { price, amount: unpaid.amount_due };
}

export function toMs(seconds: number): number {
	return seconds * 1_000;
}
