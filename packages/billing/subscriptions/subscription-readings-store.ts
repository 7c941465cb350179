import { OWN_APP_PK } from "@svc/apps/own-app-store";
import { betterPlan, betterTier } from "@svc/apps/profile/app-plan-store";
import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, members } from "@svc/base/database/schema/apps";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { trialGrants } from "@svc/base/database/schema/billing/plans";
import { checkouts, subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { meta } from "@svc/base/database/schema/service";
import { condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { OwnPlanKey, TrialReason } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, isNull, notExists, type SQLWrapper, sql } from "drizzle-orm";
import { ownPlanKeyOf } from "../plans/bought.ts";
import type { Bought } from "../plans/plan.ts";
import { followTier } from "../plans/tiers-store.ts";
import type { ProcessorIdentity, ProcessorInvoice } from "../ports.ts";
import type { Reading, Subscription } from "../subscription.ts";
import { aroundChange, type PublishedStatuses } from "./published-statuses-store.ts";
import { ofSubscriber } from "./subscription-rows-store.ts";

type ReadingStep = Step<"moved" | "second" | "trial_used">;

/** The steps that save a reading. Their order decides which refusal wins. */
export function readingSteps(database: Database, reading: Reading): readonly ReadingStep[] {
	const { queries } = database;
	const { before, snapshot, by, grantedPlan, subscriber, id } = reading;
	const { appPk } = subscriber;
	const changes = changesOf(reading);
	const ended = and(eq(checkouts.id, snapshot.checkout), isNull(checkouts.doneMs));
	return [
		...(before ? [updateStep(database, before, reading)] : insertSteps(database, reading)),
		...snapshot.invoices.map((invoice) => ({ run: upsertInvoice(database, reading, invoice) })),
		{ run: queries.update(checkouts).set({ doneMs: by.nowMs }).where(ended) },
		...(grantedPlan !== null && grantedPlan !== (before?.grantedPlan ?? "free")
			? [planStep(database, appPk, grantedPlan)]
			: []),
		...(subscriber.subject === "user" ? [followTier(database, subscriber.connectionPk)] : []),
		...(Object.keys(changes).length > 0
			? [{ run: auditBy(by, { appPk, event: eventOf(reading), target: id, changes }) }]
			: []),
		...reading.mails.map((mail) => ({ run: mailEntry(mail, by.nowMs) })),
	];
}

/** The digest of an address that has used its trial in an App, or given it up. */
export function insertTrial(
	{ queries }: Database,
	appPk: number,
	emailMac: Uint8Array,
	reason: TrialReason,
	createdMs: number,
): SQLWrapper {
	return queries.insert(trialGrants).values({ appPk, emailMac, reason, createdMs }).onConflictDoNothing();
}

/** Nothing is asked of the processor, which does not know it; the App falls back to what operators have granted. */
export async function endLost(
	database: Database,
	published: PublishedStatuses,
	subscription: Subscription,
	by: Actor,
): Promise<void> {
	const { queries, write } = database;
	const { pk, id, revision, subscriber, grantedPlan } = subscription;
	const { appPk } = subscriber;
	const set: SubscriptionColumns = {
		status: "canceled",
		endedMs: by.nowMs,
		grantedPlan: grantedPlan === null ? null : "free",
		revision: revision + 1,
	};
	const asRead = and(eq(subscriptions.pk, pk), eq(subscriptions.revision, revision));
	const changes = { status: "canceled", processor: subscription.processor };
	const steps: readonly ReadingStep[] = [
		{ run: queries.update(subscriptions).set(set).where(asRead), guard: "moved" },
		...(grantedPlan === null ? [] : [planStep(database, appPk, "free")]),
		...(subscriber.subject === "user" ? [followTier(database, subscriber.connectionPk)] : []),
		{ run: auditBy(by, { appPk, event: "subscription.lost", target: id, changes }) },
	];
	await write(await aroundChange(published, subscriber, by, steps));
}

function planStep({ queries }: Database, appPk: number, paid: OwnPlanKey): ReadingStep {
	const granted = sql`${apps.grantedPlan}`;
	const inForce = { plan: betterPlan(granted, paid), tier: betterTier(granted, paid) };
	return { run: queries.update(apps).set(inForce).where(eq(apps.pk, appPk)) };
}

function eventOf({ before, snapshot }: Reading): string {
	if (!before) return "subscription.started";
	return before.endedMs === null && snapshot.endedMs !== null ? "subscription.ended" : "subscription.updated";
}

/** The audited changes of a reading; empty when nothing happened. */
function changesOf({ before, snapshot, bought, pending, grantedPlan }: Reading): Readonly<Record<string, unknown>> {
	const after = {
		status: snapshot.status,
		bought: nameOf(bought),
		pending: pending ? nameOf(pending.bought) : null,
		cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd,
		periodEndMs: snapshot.periodEndMs,
		plan: grantedPlan,
		// Most are never disputed: there is nothing to say of it then.
		...(snapshot.dispute && { dispute: snapshot.dispute.state }),
	};
	if (!before) return after;
	const known: typeof after = {
		status: before.status,
		bought: nameOf(before.bought),
		pending: before.pending ? nameOf(before.pending.bought) : null,
		cancelAtPeriodEnd: before.cancelAtPeriodEnd,
		periodEndMs: before.periodEndMs,
		plan: before.grantedPlan,
		...(before.dispute && { dispute: before.dispute.state }),
	};
	const changed = Object.entries(after).filter(([name, value]) => known[name as keyof typeof after] !== value);
	return Object.fromEntries(changed);
}

function nameOf(bought: Bought): string {
	return bought.subject === "app" ? bought.appPlan : bought.priceId;
}

/** A spread into a row is checked here: a spread itself may hold fields that no column is named after. */
type SubscriptionColumns = Partial<typeof subscriptions.$inferInsert>;

function columnsOf({ snapshot, subscriber, bought, pending, unpaidChange, grantedPlan, heldForApp, by }: Reading) {
	const { status, trialEndMs, periodStartMs, periodEndMs, cancelAtPeriodEnd, cancelAtMs, startedMs, endedMs } =
		snapshot;
	return {
		status,
		trialEndMs,
		periodStartMs,
		periodEndMs,
		cancelAtPeriodEnd,
		cancelAtMs,
		startedMs,
		endedMs,
		grantedPlan,
		pricePk: bought.subject === "user" ? bought.pricePk : null,
		appPlan: subscriber.subject === "app" ? ownPlanKeyOf(bought) : null,
		pendingPricePk: pending?.bought.subject === "user" ? pending.bought.pricePk : null,
		pendingAppPlan: pending?.bought.subject === "app" ? pending.bought.appPlan : null,
		pendingMs: pending?.atMs ?? null,
		unpaidPricePk: unpaidChange?.bought.subject === "user" ? unpaidChange.bought.pricePk : null,
		unpaidAppPlan: unpaidChange?.bought.subject === "app" ? unpaidChange.bought.appPlan : null,
		unpaidAmount: unpaidChange?.amount ?? null,
		credit: snapshot.credit,
		taxBehavior: bought.subject === "user" ? bought.taxBehavior : null,
		nextTotal: snapshot.nextTotal,
		extended: snapshot.extended,
		disputeState: snapshot.dispute?.state ?? null,
		disputeAmount: snapshot.dispute?.amount ?? null,
		disputeMs: snapshot.dispute?.atMs ?? null,
		collectionPaused: snapshot.collectionPaused,
		heldForApp,
		syncedMs: by.nowMs,
	} satisfies SubscriptionColumns;
}

/** Who pays, and what for, outlives the App: its deletion forgets its name and its team. */
function lastingOf({ subscriber: { subject, appPk, ...user } }: Reading) {
	const ofUser = "connectionPk" in user ? user.connectionPk : null;
	const itsApp =
		subject === "app"
			? sql`${appPk}`
			: sql`(SELECT ${connections.appPk} FROM ${connections} WHERE ${connections.pk} = ${ofUser})`;
	const name = sql`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.pk} = ${itsApp} AND ${apps.name} <> ${apps.id})`;
	const owner = sql`(SELECT ${members.accountPk} FROM ${members}
		WHERE ${members.appPk} = ${appPk} AND ${members.role} = 'owner' AND ${subject} = 'app')`;
	return { name, owner };
}

function updateStep({ queries }: Database, { pk, revision }: Subscription, reading: Reading): ReadingStep {
	const { name, owner } = lastingOf(reading);
	const lasting = {
		appName: sql`coalesce(${name}, ${subscriptions.appName})`,
		payerPk: sql`coalesce(${owner}, ${subscriptions.payerPk})`,
	};
	// More time was given for that one payment: a later one that fails has the usual time again.
	const paid = reading.snapshot.status !== "past_due" && { graceUntilMs: null };
	const set = { ...columnsOf(reading), ...lasting, ...paid, revision: revision + 1 };
	const asRead = and(eq(subscriptions.pk, pk), eq(subscriptions.revision, revision));
	return { run: queries.update(subscriptions).set(set).where(asRead), guard: "moved" };
}

function insertSteps(database: Database, reading: Reading): readonly ReadingStep[] {
	const { queries } = database;
	const { id, subscriber, processor, snapshot, by } = reading;
	const { subject, appPk } = subscriber;
	const connectionPk = subscriber.subject === "user" ? subscriber.connectionPk : null;
	const { ref } = snapshot;
	const fixed = { id, subject, appPk, connectionPk, processor, ref, createdMs: by.nowMs } satisfies SubscriptionColumns;
	const unended = and(ofSubscriber(subscriber), isNull(subscriptions.endedMs));
	const live = queries.select({ pk: subscriptions.pk }).from(subscriptions).where(unended);
	return [
		condition(appPk, notExists(pkOf(database, reading)), "moved"),
		...(snapshot.endedMs === null ? [condition(appPk, notExists(live), "second")] : []),
		...(snapshot.endedMs === null && snapshot.trialEndMs !== null ? trialSteps(database, reading) : []),
		{ run: queries.insert(subscriptions).values({ ...fixed, ...columnsOf(reading), ...lastingAtFirst(reading) }) },
		{ run: keepIdentity(database, reading.identity) },
	];
}

/** Under this name the processor of the first subscription is kept. */
export const PROCESSOR_KEY = "processor";

function keepIdentity({ queries }: Database, identity: ProcessorIdentity): SQLWrapper {
	const row = { key: PROCESSOR_KEY, value: JSON.stringify(identity) };
	return queries.insert(meta).values(row).onConflictDoNothing();
}

function lastingAtFirst(reading: Reading) {
	const { name, owner } = lastingOf(reading);
	return { appName: sql<string>`coalesce(${name}, '')`, payerPk: sql<number | null>`${owner}` };
}

/** The subscription may be known already, by the processor's own name for it. */
function pkOf({ queries }: Database, { processor, snapshot }: Reading): SQLWrapper {
	const named = and(eq(subscriptions.processor, processor), eq(subscriptions.ref, snapshot.ref));
	return queries.select({ pk: subscriptions.pk }).from(subscriptions).where(named);
}

function trialSteps(database: Database, { subscriber: { appPk }, trialMacs, by }: Reading): readonly ReadingStep[] {
	const { queries } = database;
	return [
		...trialMacs.map((mac) => {
			const same = and(eq(trialGrants.appPk, appPk), eq(trialGrants.emailMac, mac));
			const had = queries.select({ reason: trialGrants.reason }).from(trialGrants).where(same);
			return condition(appPk, notExists(had), "trial_used");
		}),
		...trialMacs.map((mac) => ({ run: insertTrial(database, appPk, mac, "trial", by.nowMs) })),
	];
}

function upsertInvoice(database: Database, reading: Reading, invoice: ProcessorInvoice): SQLWrapper {
	const { ref, createdMs, currency, ...changing } = invoice;
	const refund = { amount: invoice.amountRefunded, atMs: reading.by.nowMs, reason: reading.refundReason };
	const row = {
		id: newId("ivc"),
		subscriptionPk: sql`${pkOf(database, reading)}`,
		...invoice,
		...numberOf(reading),
		refunds: invoice.amountRefunded > 0 ? [refund] : [],
	};
	// The processor tells how much was paid back, and each reading what came to it.
	const more = sql`${invoice.amountRefunded} - ${invoices.amountRefunded}`;
	const entry = sql`json_object('amount', ${more}, 'atMs', ${refund.atMs}, 'reason', ${refund.reason})`;
	const added = sql`json_insert(${invoices.refunds}, '$[#]', ${entry})`;
	const refunds = sql`iif(${more} > 0, ${added}, ${invoices.refunds})`;
	const target = [invoices.subscriptionPk, invoices.ref];
	return database.queries
		.insert(invoices)
		.values(row)
		.onConflictDoUpdate({ target, set: { ...changing, refunds } });
}

/** Counted in the commit that adds the invoice, so that there is never a gap. What the service sells itself has one count. */
function numberOf({ subscriber: { subject, appPk } }: Reading) {
	const isService = subject === "app" ? sql`1` : sql`${appPk} IS ${OWN_APP_PK}`;
	const sellerPk = sql<number>`iif(${isService}, 0, ${appPk})`;
	const seq = sql<number>`(SELECT coalesce(max(${invoices.seq}), 0) + 1 FROM ${invoices} WHERE ${invoices.sellerPk} = ${sellerPk})`;
	const letters = sql`(SELECT upper(substr(${apps.id}, 5, 8)) FROM ${apps} WHERE ${apps.pk} = ${appPk})`;
	const number = sql<string>`iif(${isService}, 'S', ${letters}) || '-' || printf('%06d', ${seq})`;
	return { sellerPk, seq, number };
}
