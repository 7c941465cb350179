import type { Actor } from "@svc/base/actor";
import type { OwnPlanKey, PaidOwnPlanKey } from "@svc/base/enumerations";
import type { NewMail } from "@svc/mail/mail";
import type { Bought } from "./plans/plan.ts";
import type { ProcessorDispute, ProcessorIdentity, ProcessorInvoice, Snapshot } from "./ports.ts";

/** A subscription of the processor as it was just read, in our own terms. */
export interface Reading {
	readonly processor: string;
	/** Kept with the first subscription of all. */
	readonly identity: ProcessorIdentity;
	readonly snapshot: Snapshot;
	/** The mirror when the reading began; undefined for a new one. */
	readonly before: Subscription | undefined;
	readonly id: string;
	readonly subscriber: Subscriber;
	/** It began while the App was paused or blocked. */
	readonly closed: boolean;
	readonly heldForApp: boolean;
	readonly bought: Bought;
	readonly pending: { readonly bought: Bought; readonly atMs: number } | null;
	readonly unpaidChange: UnpaidChange | null;
	/** Why what is paid back by now and was not before, as the payer reads it on the invoice. */
	readonly refundReason: string;
	readonly grantedPlan: OwnPlanKey | null;
	/** Digests of a payer who may have one trial only; empty for an App's own plan. */
	readonly trialMacs: readonly Uint8Array[];
	readonly mails: readonly NewMail[];
	readonly by: Actor;
}

export interface Invoice extends Omit<ProcessorInvoice, "ref"> {
	readonly pk: number;
	readonly id: string;
	/** Ends in digits that each seller counts up without gaps. */
	readonly number: string;
	readonly refunds: readonly Refund[];
}

interface Refund {
	readonly amount: number;
	readonly atMs: number;
	readonly reason: string;
}

/** Who sold it: an App, or the service. */
export type Seller =
	| { readonly kind: "app"; readonly id: string; readonly name: string }
	| { readonly kind: "service" };

/** A subscription as the team of the App that sold it sees it, and operators. */
export interface OwnedSubscription extends Subscription {
	readonly seller: Seller;
	/** Null for the App's own plan. */
	readonly userId: string | null;
	/** The user's address; null for who is not connected any more. */
	readonly email: string | null;
	readonly invoices: readonly Invoice[];
}

export interface Withdrawal {
	readonly subscription: Subscription;
	/** Digests for the trial, which withdrawing uses up. */
	readonly trialMacs: readonly Uint8Array[];
	readonly mail: NewMail;
	readonly by: Actor;
}

/** Whose subscription it is: at most one of each is live. `appPk` of a user's is the App that sells. */
export type Subscriber =
	| { readonly subject: "user"; readonly appPk: number; readonly connectionPk: number }
	| { readonly subject: "app"; readonly appPk: number };

/** What a subscription becomes once the amount is paid. */
interface UnpaidChange {
	readonly bought: Bought;
	readonly amount: number;
}

/** The processor's subscription as it was last read. */
export interface Subscription
	extends Omit<Snapshot, "price" | "pending" | "unpaidChange" | "invoices" | "checkout" | "dispute" | "nextTryMs"> {
	readonly pk: number;
	readonly id: string;
	readonly subscriber: Subscriber;
	readonly processor: string;
	readonly bought: Bought;
	/** What it becomes at the next renewal. */
	readonly pending: { readonly bought: Bought; readonly atMs: number } | null;
	readonly unpaidChange: UnpaidChange | null;
	/** The plan that it gives its App; null for what is not an App's own. */
	readonly grantedPlan: OwnPlanKey | null;
	/** Until when an operator lets it go on although its payment failed. */
	readonly graceUntilMs: number | null;
	readonly dispute: Omit<ProcessorDispute, "dueMs"> | null;
	/** Its payer knows that nothing is collected, because the App is away, and is told when that is over. */
	readonly heldForApp: boolean;
	/** When the subscriber withdrew from it. */
	readonly withdrawnMs: number | null;
	/** Totals over all invoices: refunded so far, and paid without a refund. */
	readonly amountRefunded: number;
	readonly amountKept: number;
	/** Rises with every reading. */
	readonly revision: number;
	/** The account that paid it last, for an App's own plan; null where nobody is known. */
	readonly payerPk: number | null;
	/** The App that it is for, as it was called last. */
	readonly appName: string;
	readonly createdMs: number;
}

/** The statuses that give access: until the term ends, or a while longer where a payment is late. */
export const HELD_STATUSES = ["trialing", "active", "grace"] as const;

export type SubscriptionAccess =
	| { readonly status: "inactive" }
	/** `expiresMs`: the end of the access that is known. */
	| { readonly status: (typeof HELD_STATUSES)[number]; readonly expiresMs: number }
	/** Its term is over, and its renewal has not been read yet: the last reading still counts. */
	| { readonly status: "unconfirmed" };

type Mirror = Pick<
	Snapshot,
	"status" | "trialEndMs" | "periodStartMs" | "periodEndMs" | "cancelAtPeriodEnd" | "endedMs"
> &
	Partial<Pick<Subscription, "withdrawnMs" | "graceUntilMs" | "dispute">>;

const INACTIVE = { status: "inactive" } as const;

/** The access that a subscription gives at a moment; decided by the last reading and the time alone. */
export function accessOf(mirror: Mirror | undefined, nowMs: number, graceMs: number): SubscriptionAccess {
	if (!mirror || isOver(mirror)) return INACTIVE;
	const { status, periodStartMs, periodEndMs, cancelAtPeriodEnd } = mirror;
	if (status === "past_due") {
		const expiresMs = Math.max(periodStartMs + graceMs, mirror.graceUntilMs ?? 0);
		return nowMs < expiresMs ? { status: "grace", expiresMs } : INACTIVE;
	}
	if (status !== "active" && status !== "trialing") return INACTIVE;
	const expiresMs = status === "trialing" ? (mirror.trialEndMs ?? periodEndMs) : periodEndMs;
	if (nowMs < expiresMs) return { status, expiresMs };
	return cancelAtPeriodEnd ? INACTIVE : { status: "unconfirmed" };
}

/** Who withdrew, or whose bank took the payment back for good, has lost access at once, whenever the processor ends it. */
function isOver({ endedMs, withdrawnMs = null, dispute = null }: Mirror): boolean {
	return endedMs !== null || withdrawnMs !== null || dispute?.state === "lost";
}

/** It is neither paid for nor in a trial, whatever the processor calls that. */
export function isUnpaid({ status }: Pick<Snapshot, "status">): boolean {
	return status !== "active" && status !== "trialing";
}

/** The plan that an App has by its own subscription. */
export function grantedPlanOf(mirror: Mirror, paid: PaidOwnPlanKey, nowMs: number, graceMs: number): OwnPlanKey {
	return accessOf(mirror, nowMs, graceMs).status === "inactive" ? "free" : paid;
}

/** What a plan of one's own is for: the App's storage, what one has in an App, or what one has in none. */
export const OWN_PLAN_STORAGES = ["app", "user", "personal"] as const;

export interface OwnPlan extends Subscription {
	readonly seller: Seller;
	readonly storage: (typeof OWN_PLAN_STORAGES)[number];
	/** The App in which it is of use; null for one's own storage. */
	readonly app: {
		readonly id: string;
		readonly name: string;
		/** Paused or blocked. */
		readonly suspended: boolean;
		readonly deleted: boolean;
	} | null;
	/** It was set to end because it is not sold at present, and its payer has not cancelled it. */
	readonly endsUnsold: boolean;
}

export interface OwnInvoice extends Invoice {
	readonly plan: OwnPlan;
}

/** What a reading found: a subscription of ours, one that no checkout of ours began, or nothing at the processor. */
export type FoundSubscription =
	| { readonly is: "ours"; readonly subscription: Subscription | undefined }
	| { readonly is: "foreign" }
	| { readonly is: "unknown" };

/** It cannot stay beside another one of its subscriber. */
export interface RefusedReading {
	readonly is: "refused";
	readonly why: "second" | "trial_used" | "closed";
	readonly reading: Reading;
}

export type ReadingOutcome = FoundSubscription | RefusedReading;
