import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, desc, eq, exists, isNotNull, isNull, not, or, type SQL, sql } from "drizzle-orm";
import { followTier } from "../plans/tiers-store.ts";
import type { Reading, Subscriber, Subscription, Withdrawal } from "../subscription.ts";
import {
	listDisputed,
	listDue,
	listLive,
	listOrphans,
	listOwing,
	listToFollow,
	listToPause,
	listToResume,
	listTrialsEnding,
	listWithdrawing,
} from "./due-subscriptions-store.ts";
import { aroundChange, type PublishedStatuses } from "./published-statuses-store.ts";
import {
	findInvoiceRef,
	findOwned,
	findSold,
	listAll,
	listLatest,
	listOwnInvoices,
	listSold,
} from "./subscription-lists-store.ts";
import { endLost, insertTrial, readingSteps } from "./subscription-readings-store.ts";
import { isOfEarlierStorage, ofSubscriber, selectSubscriptions, toSubscription } from "./subscription-rows-store.ts";

export function subscriptionStore(database: Database, published: PublishedStatuses) {
	return {
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
		save: saveReading.bind(undefined, database, published),
		/** Stores that the subscriber withdrew, before the processor is asked; false when it has ended or was withdrawn from already. */
		markWithdrawn: markWithdrawn.bind(undefined, database, published),
		/** The same for a change that it happens with; the processor is told by the clock. */
		withdrawalSteps: withdrawalSteps.bind(undefined, database),
		/** Lets one go on until then although its payment failed. */
		extendGrace: extendGrace.bind(undefined, database, published),
		/** Tells the feed what the clock alone has done to what a user has. */
		async tellOver(connectionPk: number, nowMs: number): Promise<void> {
			await database.write(await published.around(connectionPk, { nowMs }, []));
		},
		/** The steps that tell an App's feed, before those that end a connection, of the access that ends with it. */
		leavingSteps: published.leaving,
		/** Lists subscriptions that were withdrawn from, and have not ended or are not wholly refunded. */
		listWithdrawing: listWithdrawing.bind(undefined, database),
		listOwing: listOwing.bind(undefined, database),
		/** Lists live ones of people who are not connected any more, or of an App that is being deleted. */
		listOrphans: listOrphans.bind(undefined, database),
		/** Lists trials that end by `beforeMs` and renew, whose subscriber was not warned yet. */
		listTrialsEnding: listTrialsEnding.bind(undefined, database),
		/** Mails the subscriber, unless they have cancelled meanwhile. */
		warnOfTrialEnd: warnOfTrialEnd.bind(undefined, database),
		/** Lists what one App sold, newest first; what it buys itself is none of it. */
		listSold: listSold.bind(undefined, database),
		findSold: findSold.bind(undefined, database),
		/** Lists subscriptions of all sellers, newest first. */
		listAll: listAll.bind(undefined, database),
		findInvoiceRef: findInvoiceRef.bind(undefined, database),
		/** For each of these users of an App, by user id, the live one or else the one that ended last. */
		listLatest: listLatest.bind(undefined, database),
		/** Whoever sold it. */
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
		/** Lists live ones after a key, oldest first. */
		listLive: listLive.bind(undefined, database),
		/** Ends one that the processor does not have any more, on our side alone. */
		endLost: endLost.bind(undefined, database, published),
	};
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
	published: PublishedStatuses,
	reading: Reading,
): Promise<"moved" | "second" | "trial_used" | undefined> {
	const steps = await aroundChange(published, reading.subscriber, reading.by, readingSteps(database, reading));
	const { refused } = await database.write(steps);
	return refused;
}

async function markWithdrawn(
	database: Database,
	published: PublishedStatuses,
	withdrawal: Withdrawal,
): Promise<boolean> {
	const { subscription, by } = withdrawal;
	const steps = await aroundChange(published, subscription.subscriber, by, withdrawalSteps(database, withdrawal));
	return (await database.write(steps)).refused === undefined;
}

function withdrawalSteps(
	database: Database,
	{ subscription, trialMacs, mail, by }: Withdrawal,
): readonly Step<"plan_ended">[] {
	const { pk, id, subscriber } = subscription;
	const { appPk } = subscriber;
	const { queries } = database;
	const withdrawn = { withdrawnMs: by.nowMs, revision: sql`${subscriptions.revision} + 1` };
	const going = and(eq(subscriptions.pk, pk), isNull(subscriptions.endedMs), isNull(subscriptions.withdrawnMs));
	return [
		{ run: queries.update(subscriptions).set(withdrawn).where(going), guard: "plan_ended" },
		...(subscriber.subject === "user" ? [followTier(database, subscriber.connectionPk)] : []),
		...trialMacs.map((mac) => ({ run: insertTrial(database, appPk, mac, "withdrawal", by.nowMs) })),
		{ run: mailEntry(mail, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "subscription.withdrawn", target: id }) },
	];
}

async function extendGrace(
	{ queries, write }: Database,
	published: PublishedStatuses,
	{ pk, subscriber }: Subscription,
	graceUntilMs: number,
	by: Actor,
): Promise<void> {
	const set = { graceUntilMs, revision: sql`${subscriptions.revision} + 1` };
	const unended = and(eq(subscriptions.pk, pk), isNull(subscriptions.endedMs));
	await write(
		await aroundChange(published, subscriber, by, [{ run: queries.update(subscriptions).set(set).where(unended) }]),
	);
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
