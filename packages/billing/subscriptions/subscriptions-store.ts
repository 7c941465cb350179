import type { Actor } from "@svc/base/actor";
import { auditBy, auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { checkouts, processorEvents, subscriptions } from "@svc/base/database/schema/billing";
import { condition } from "@svc/base/database/statements";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, desc, eq, exists, gte, isNotNull, isNull, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import type { Checkout, NewCheckout, OpenCheckout } from "../payers/checkouts.ts";
import { followTier } from "../plans/tiers-store.ts";
import type { ProcessorEvent } from "../ports.ts";
import type { LeftEvent } from "../processor/deliveries.ts";
import {
	findInvoiceRef,
	findOwned,
	listAll,
	listDisputed,
	listDue,
	listLatest,
	listLive,
	listOrphans,
	listOwing,
	listOwned,
	listOwnInvoices,
	listToFollow,
	listToPause,
	listToResume,
	listTrialsEnding,
	listWithdrawing,
	suspendedMs,
} from "./subscription-lists-store.ts";
import { endLost, insertTrial, readingSteps } from "./subscription-readings-store.ts";
import {
	isOfEarlierStorage,
	ofSubscriber,
	selectSubscriptions,
	toSubscriber,
	toSubscription,
} from "./subscription-rows-store.ts";
import type { Reading, Subscriber, Subscription, Withdrawal } from "./subscriptions.ts";

export function subscriptionStore(database: Database) {
	return {
		addCheckout: addCheckout.bind(undefined, database),
		findCheckout: findCheckout.bind(undefined, database),
		/** Lists those that were opened since then and are not done, of one subscriber or of all; newest first. */
		listOpenCheckouts: listOpenCheckouts.bind(undefined, database),
		/** Lists open ones for Apps that are paused or blocked. */
		listToClose: listToClose.bind(undefined, database),
		/** It is over, and was not paid. */
		closeCheckout: closeCheckout.bind(undefined, database),
		find: findById.bind(undefined, database),
		findByRef: findByRef.bind(undefined, database),
		/** The subscription that has not ended. */
		findLive: findLive.bind(undefined, database),
		/** The live subscription for the present storage, or else the one that ended last. */
		findLatest: findLatest.bind(undefined, database),
		/**
		 * The mirror, its invoices and the App's plan in one commit. `moved` when another reading was saved since this one began, `second` for
		 * a new live one beside another live one of the same subscriber.
		 */
		save: saveReading.bind(undefined, database),
		/** Stores that the subscriber withdrew, before the processor is asked; false when it has ended or was withdrawn from already. */
		markWithdrawn: markWithdrawn.bind(undefined, database),
		/** Lets one go on until then although its payment failed. */
		extendGrace: extendGrace.bind(undefined, database),
		/** Lists subscriptions that were withdrawn from, and have not ended or are not wholly refunded. */
		listWithdrawing: listWithdrawing.bind(undefined, database),
		listOwing: listOwing.bind(undefined, database),
		/** Lists live ones of people who are not connected any more, or of an App that is being deleted. */
		listOrphans: listOrphans.bind(undefined, database),
		/** Lists trials that end by `beforeMs` and renew, whose subscriber was not warned yet. */
		listTrialsEnding: listTrialsEnding.bind(undefined, database),
		/** Mails the subscriber, unless they have cancelled meanwhile. */
		warnOfTrialEnd: warnOfTrialEnd.bind(undefined, database),
		/** Lists one App's subscriptions of both kinds, newest first. */
		list: listOwned.bind(undefined, database),
		/** Lists subscriptions of all sellers, newest first. */
		listAll: listAll.bind(undefined, database),
		findInvoiceRef: findInvoiceRef.bind(undefined, database),
		/** For each of these users of an App, by user id, the live one or else the one that ended last. */
		listLatest: listLatest.bind(undefined, database),
		findOwned: findOwned.bind(undefined, database),
		listToPause: listToPause.bind(undefined, database),
		listToResume: listToResume.bind(undefined, database),
		listToFollow: listToFollow.bind(undefined, database),
		listDisputed: listDisputed.bind(undefined, database),
		/** Enqueues a mail that goes with no change of the mirror. */
		async mail(mail: NewMail, nowMs: number): Promise<void> {
			await database.write([{ run: mailEntry(mail, nowMs) }]);
		},
		/** Lists live ones whose term is over by `nowMs`, or that are unpaid since before `graceBeforeMs`; soonest first. */
		listDue: listDue.bind(undefined, database),
		/** Lists invoices of an App's own plan, newest first. */
		listOwnInvoices: listOwnInvoices.bind(undefined, database),
		/** False for a delivery that was received before. */
		takeEvent: takeEvent.bind(undefined, database),
		endEvent: endEvent.bind(undefined, database),
		/** Lists deliveries received from `fromMs` on and before `beforeMs` that are not processed, and not put off; newest first. */
		listEvents: listEvents.bind(undefined, database),
		putOffEvent: putOffEvent.bind(undefined, database),
		/** Lists live ones after a key, oldest first. */
		listLive: listLive.bind(undefined, database),
		/** Ends one that the processor does not have any more, on our side alone. */
		endLost: endLost.bind(undefined, database),
	};
}

async function addCheckout(
	{ queries, write }: Database,
	{ id, subscriber, bought, ...facts }: NewCheckout,
	by: Actor,
): Promise<void> {
	// Each of them has a column of its name.
	facts satisfies Pick<typeof checkouts.$inferInsert, keyof typeof facts>;
	const { subject, appPk } = subscriber;
	const row: typeof checkouts.$inferInsert = {
		...facts,
		id,
		subject,
		appPk,
		connectionPk: subscriber.subject === "user" ? subscriber.connectionPk : null,
		pricePk: bought.subject === "user" ? bought.pricePk : null,
		appPlan: bought.appPlan ?? null,
		startedBy: by.actor,
		createdMs: by.nowMs,
	};
	const changes = { subject, appPlan: row.appPlan };
	await write([
		{ run: queries.insert(checkouts).values(row) },
		{ run: auditBy(by, { appPk, event: "checkout.opened", target: id, changes }) },
	]);
}

async function findCheckout({ queries, read }: Database, id: string): Promise<Checkout | undefined> {
	const [row] = await read(() =>
		queries
			.select({ checkout: checkouts, app: { pk: apps.pk, id: apps.id, name: apps.name } })
			.from(checkouts)
			.innerJoin(apps, eq(apps.pk, checkouts.appPk))
			.where(eq(checkouts.id, id)),
	);
	return row && { ...row.checkout, app: row.app, subscriber: toSubscriber(row.checkout) };
}

async function listOpenCheckouts(
	{ queries, read }: Database,
	processor: string,
	sinceMs: number,
	limit: number,
	subscriber?: Subscriber,
): Promise<readonly OpenCheckout[]> {
	const { id, ref, createdMs, doneMs, subject, appPk, connectionPk } = checkouts;
	const theirs = subscriber && [
		eq(subject, subscriber.subject),
		eq(appPk, subscriber.appPk),
		...(subscriber.subject === "user" ? [eq(connectionPk, subscriber.connectionPk)] : []),
	];
	const open = and(eq(checkouts.processor, processor), isNull(doneMs), gte(createdMs, sinceMs), ...(theirs ?? []));
	return await read(() =>
		queries.select({ id, ref }).from(checkouts).where(open).orderBy(desc(createdMs)).limit(limit),
	);
}

async function listToClose(
	{ queries, read }: Database,
	processor: string,
	limit: number,
): Promise<readonly OpenCheckout[]> {
	const { id, ref, doneMs } = checkouts;
	const open = and(sql`+${checkouts.processor} = ${processor}`, isNull(doneMs), isNotNull(suspendedMs(checkouts)));
	// Those that the processor does not answer for must not keep newer ones waiting.
	return await read(() =>
		queries.select({ id, ref }).from(checkouts).where(open).orderBy(desc(checkouts.createdMs)).limit(limit),
	);
}

async function closeCheckout({ queries, write }: Database, id: string, nowMs: number): Promise<void> {
	const open = and(eq(checkouts.id, id), isNull(checkouts.doneMs));
	const appPk = sql`(SELECT ${checkouts.appPk} FROM ${checkouts} WHERE ${checkouts.id} = ${id})`;
	await write([
		{ run: queries.update(checkouts).set({ doneMs: nowMs }).where(open), guard: "done" },
		{ run: auditEntry({ atMs: nowMs, actor: "billing", appPk, event: "checkout.closed", target: id }) },
	]);
}

function findById(database: Database, id: string): Promise<Subscription | undefined> {
	return findOne(database, eq(subscriptions.id, id));
}

function findByRef(database: Database, processor: string, ref: string): Promise<Subscription | undefined> {
	return findOne(database, and(eq(subscriptions.processor, processor), eq(subscriptions.ref, ref)));
}

function findLive(database: Database, subscriber: Subscriber): Promise<Subscription | undefined> {
	return findOne(database, and(ofSubscriber(subscriber), isNull(subscriptions.endedMs)));
}

function findLatest(database: Database, subscriber: Subscriber): Promise<Subscription | undefined> {
	const { endedMs } = subscriptions;
	const counts = or(isNotNull(endedMs), not(isOfEarlierStorage(database)));
	return findOne(database, and(ofSubscriber(subscriber), counts), isNotNull(endedMs));
}

async function findOne(
	database: Database,
	where: SQL | undefined,
	...order: readonly SQL[]
): Promise<Subscription | undefined> {
	const newest = desc(subscriptions.pk);
	const [row] = await selectSubscriptions(database, { where, order: [...order, newest], limit: 1 });
	return row && toSubscription(row);
}

async function saveReading(
	database: Database,
	reading: Reading,
): Promise<"moved" | "second" | "trial_used" | undefined> {
	const steps = readingSteps(database, reading);
	if (steps.length === 0) return undefined;
	const { refused } = await database.write(steps);
	return refused;
}

async function markWithdrawn(database: Database, { subscription, trialMacs, mail, by }: Withdrawal): Promise<boolean> {
	const { pk, id, subscriber } = subscription;
	const { appPk } = subscriber;
	const { queries, write } = database;
	const withdrawn = { withdrawnMs: by.nowMs, revision: sql`${subscriptions.revision} + 1` };
	const going = and(eq(subscriptions.pk, pk), isNull(subscriptions.endedMs), isNull(subscriptions.withdrawnMs));
	const { refused } = await write([
		{ run: queries.update(subscriptions).set(withdrawn).where(going), guard: "over" },
		...(subscriber.subject === "user" ? [followTier(database, subscriber.connectionPk)] : []),
		...trialMacs.map((mac) => ({ run: insertTrial(database, appPk, mac, "withdrawal", by.nowMs) })),
		{ run: mailEntry(mail, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "subscription.withdrawn", target: id }) },
	]);
	return refused === undefined;
}

async function extendGrace({ queries, write }: Database, pk: number, graceUntilMs: number): Promise<void> {
	const set = { graceUntilMs, revision: sql`${subscriptions.revision} + 1` };
	const unended = and(eq(subscriptions.pk, pk), isNull(subscriptions.endedMs));
	await write([{ run: queries.update(subscriptions).set(set).where(unended) }]);
}

async function warnOfTrialEnd(
	{ queries, write }: Database,
	{ pk, revision, subscriber }: Subscription,
	mail: NewMail,
	nowMs: number,
): Promise<void> {
	const unmoved = and(eq(subscriptions.pk, pk), eq(subscriptions.revision, revision));
	const asRead = queries.select({ pk: subscriptions.pk }).from(subscriptions).where(unmoved);
	// The next round reads one that changed again.
	await write([condition(subscriber.appPk, exists(asRead), "moved"), { run: mailEntry(mail, nowMs) }]);
}

async function takeEvent(
	{ queries, write }: Database,
	processor: string,
	{ id, type, subscription }: ProcessorEvent,
	nowMs: number,
): Promise<boolean> {
	const row = { processor, id, type, subscriptionRef: subscription, receivedMs: nowMs };
	const run = queries.insert(processorEvents).values(row).onConflictDoNothing();
	const { refused } = await write([{ run, guard: "taken" }]);
	return refused === undefined;
}

async function endEvent(
	{ queries, write }: Database,
	processor: string,
	eventId: string,
	nowMs: number,
): Promise<void> {
	const event = and(eq(processorEvents.processor, processor), eq(processorEvents.id, eventId));
	const open = isNull(processorEvents.doneMs);
	await write([{ run: queries.update(processorEvents).set({ doneMs: nowMs }).where(and(event, open)) }]);
}

async function listEvents(
	{ queries, read }: Database,
	processor: string,
	{ fromMs, beforeMs, nowMs }: { readonly fromMs: number; readonly beforeMs: number; readonly nowMs: number },
	limit: number,
): Promise<readonly LeftEvent[]> {
	const { id, type, subscriptionRef, receivedMs, doneMs, nextMs, tries } = processorEvents;
	// The plus sign keeps SQLite from walking all of the processor's deliveries rather than the few that are not processed.
	const ofProcessor = sql`+${processorEvents.processor} = ${processor}`;
	const due = or(isNull(nextMs), lte(nextMs, nowMs));
	return await read(() =>
		queries
			.select({ id, type, subscription: subscriptionRef, tries })
			.from(processorEvents)
			.where(and(ofProcessor, isNull(doneMs), gte(receivedMs, fromMs), lt(receivedMs, beforeMs), due))
			// Deliveries that always fail must not keep newer ones waiting.
			.orderBy(desc(receivedMs))
			.limit(limit),
	);
}

async function putOffEvent(
	{ queries, write }: Database,
	processor: string,
	eventId: string,
	{ tries, nextMs }: { readonly tries: number; readonly nextMs: number },
): Promise<void> {
	const event = and(eq(processorEvents.processor, processor), eq(processorEvents.id, eventId));
	await write([{ run: queries.update(processorEvents).set({ tries, nextMs }).where(event) }]);
}
