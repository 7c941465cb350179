import { newId } from "@svc/base/ids";
import type { NewMail } from "@svc/mail/mail";
import { hasLost, hasNewDispute, mailsOf, type Recipient, type SubscriptionChange } from "../mails/billing-mails.ts";
import { ownerMails } from "../mails/owner-mails.ts";
import { findRecipient, named } from "../mails/recipients.ts";
import { ownPlanKeyOf } from "../plans/bought.ts";
import type { Snapshot } from "../ports.ts";
import type { Billing } from "../room.ts";
import { grantedPlanOf, type Reading, type Subscriber, type Subscription } from "../subscription.ts";

/* What the processor tells of a subscription, in our own terms: what it is for, who is told, and what follows for its App. */

/** Undefined for a subscription that none of our checkouts began, or to what we do not sell. */
export async function toReading(
	room: Billing,
	before: Subscription | undefined,
	snapshot: Snapshot,
): Promise<Reading | undefined> {
	const now = room.clock.now();
	const subscriber = before?.subscriber ?? (await room.checkouts.find(snapshot.checkout))?.subscriber;
	const bought = await room.refs.findPrice(room.processor.name, snapshot.price);
	if (!subscriber || !bought) return undefined;
	const id = before?.id ?? newId("sub");
	const payer = subscriber.subject === "user" ? await room.payers.findByConnection(subscriber.connectionPk) : undefined;
	const { subject } = subscriber;
	const recipient = named(payer ?? (await findRecipient(room, before ?? { subscriber })), before);
	const heldForApp = isHeldForApp(before, snapshot, recipient);
	const closed = isClosedBy(recipient, snapshot);
	const change = { before, snapshot, bought, id, closed, heldForApp, nowMs: now };
	return {
		processor: room.processor.name,
		identity: room.identity,
		snapshot,
		before,
		id,
		subscriber,
		closed,
		heldForApp,
		bought,
		pending: await toPending(room, snapshot),
		unpaidChange: await toUnpaidChange(room, snapshot),
		refundReason: refundReasonOf(before, snapshot, recipient, closed),
		grantedPlan: toGrantedPlan(room, { before, snapshot, subject, bought }, now),
		trialMacs: payer ? await trialMacsOf(room, payer) : [],
		mails: recipient ? await mailsTo(room, subscriber, { ...change, payer: recipient }) : [],
		by: { ...(room.deeds.get(snapshot.ref) ?? BY_BILLING), nowMs: now },
	};
}

/** It is paused or blocked, or was when nothing was collected any more, and nothing has been since. */
function isHeldForApp(
	before: Subscription | undefined,
	{ collectionPaused }: Snapshot,
	recipient: Recipient | undefined,
): boolean {
	return collectionPaused && (recipient?.app.suspended === true || before?.heldForApp === true);
}

/** Whether it began while the App was paused or blocked. */
function isClosedBy(recipient: Recipient | undefined, { startedMs }: Snapshot): boolean {
	const sinceMs = recipient?.app.suspendedMs ?? null;
	return sinceMs !== null && startedMs >= sinceMs;
}

function toGrantedPlan(
	{ graceMs }: Billing,
	{ before, snapshot, subject, bought }: Pick<Reading, "before" | "snapshot" | "bought"> & Pick<Subscriber, "subject">,
	nowMs: number,
): Reading["grantedPlan"] {
	if (subject !== "app") return null;
	const mirror = { ...snapshot, graceUntilMs: before?.graceUntilMs ?? null };
	return grantedPlanOf(mirror, ownPlanKeyOf(bought), nowMs, graceMs);
}

async function mailsTo(
	room: Billing,
	subscriber: Subscriber,
	known: Omit<SubscriptionChange, "subject" | "sellerPk" | "admins" | "graceMs" | "watchers" | "newestInvoice">,
): Promise<readonly NewMail[]> {
	const { subject, appPk } = subscriber;
	const watchers = await findWatchers(room, known.before, known.snapshot, subscriber);
	const admins = subject === "app" ? await room.payers.listAdminEmails(appPk) : [];
	const { before } = known;
	const [newest] = before?.endedMs
		? await room.ownPlans.listInvoices(before.pk, { limit: 1, beforePk: undefined })
		: [];
	const also = { admins, watchers, graceMs: room.graceMs, newestInvoice: newest?.id };
	const change = { ...known, ...also, subject, sellerPk: appPk };
	return [...mailsOf(room, change), ...ownerMails(room, change)];
}

/** Who is told of a dispute that began or was decided; nobody where none did. */
async function findWatchers(
	{ payers }: Billing,
	before: Subscription | undefined,
	snapshot: Snapshot,
	{ appPk }: Subscriber,
): Promise<readonly string[]> {
	return hasNewDispute(before, snapshot) ? await payers.listWatchers(appPk) : [];
}

function refundReasonOf(
	before: Subscription | undefined,
	snapshot: Snapshot,
	recipient: Recipient | undefined,
	closed: boolean,
): string {
	if (hasLost(before, snapshot)) return "dispute";
	if (!before) return closed ? "not_available" : "paid_twice";
	if (before.withdrawnMs !== null) return "withdrawal";
	return recipient?.app.deleting ? "app_deleted" : "refund";
}

async function toPending(room: Billing, { pending }: Snapshot): Promise<Reading["pending"]> {
	const bought = pending && (await room.refs.findPrice(room.processor.name, pending.price));
	return pending && bought ? { bought, atMs: pending.atMs } : null;
}

async function toUnpaidChange(room: Billing, { unpaidChange }: Snapshot): Promise<Reading["unpaidChange"]> {
	const bought = unpaidChange && (await room.refs.findPrice(room.processor.name, unpaidChange.price));
	return unpaidChange && bought ? { bought, amount: unpaidChange.amount } : null;
}

/** What time or the processor did. */
const BY_BILLING = { actor: "billing", requestId: null } as const;

/** Digests of the account and of its address: a trial stays used when either is exchanged. */
export async function trialMacsOf(
	{ trialMac }: Billing,
	payer: { readonly accountId: string; readonly emailNorm: string },
): Promise<readonly Uint8Array[]> {
	return await Promise.all([trialMac("account", payer.accountId), trialMac("email", payer.emailNorm)]);
}
