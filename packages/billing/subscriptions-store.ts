import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { checkouts, invoices, processorEvents, subscriptions } from "@svc/base/database/schema/billing";
import { connections } from "@svc/base/database/schema/connect";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-store";
import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import { trialEndingKey } from "./billing-mails.ts";
import type { Checkout, NewCheckout } from "./checkouts.ts";
import type { ProcessorEvent } from "./ports.ts";
import { insertTrial, readingSteps } from "./subscription-readings-store.ts";
import {
	ofSubscriber,
	type SubscriptionRow,
	selectSubscriptions,
	toSubscriber,
	toSubscription,
} from "./subscription-rows-store.ts";
import type { Invoice, OwnedSubscription, Reading, Subscriber, Subscription, Withdrawal } from "./subscriptions.ts";
import { followTier } from "./tiers-store.ts";

export interface SubscriptionStore {
	addCheckout(checkout: NewCheckout, by: Actor): Promise<void>;
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

/** Not by an index: nearly all are of the one processor, and there are better ways to find the few that are due. */
function of(processor: string): SQL {
	return sql`+${subscriptions.processor} = ${processor}`;
}

/** Without a limit of its own: a user has a handful. */
const EVERY = 10_000;

export function subscriptionStore(database: Database): SubscriptionStore {
	const { queries, read, write } = database;

	function select(where: SQL | undefined, order: readonly SQL[], limit: number) {
		return selectSubscriptions(database, { where, order, limit });
	}

	async function findOne(where: SQL | undefined, ...order: readonly SQL[]) {
		const [row] = await select(where, [...order, desc(subscriptions.pk)], 1);
		return row && toSubscription(row);
	}

	async function listOf(where: SQL | undefined, limit: number, order: SQL = asc(subscriptions.pk)) {
		return (await select(where, [order], limit)).map(toSubscription);
	}

	/** With invoices and, where there is one, the user. */
	async function toOwned(rows: readonly SubscriptionRow[]): Promise<readonly OwnedSubscription[]> {
		const pks = rows.map(({ subscription }) => subscription.pk);
		const connectionPks = rows.flatMap(({ subscription }) => subscription.connectionPk ?? []);
		const [found, users] = await Promise.all([
			read(() =>
				queries.select().from(invoices).where(inArray(invoices.subscriptionPk, pks)).orderBy(asc(invoices.pk)),
			),
			read(() =>
				queries
					.select({ pk: connections.pk, userId: connections.userId })
					.from(connections)
					.where(inArray(connections.pk, connectionPks)),
			),
		]);
		const userIds = new Map(users.map(({ pk, userId }) => [pk, userId]));
		return rows.map((row) => ({
			...toSubscription(row),
			userId: userIds.get(row.subscription.connectionPk ?? 0) ?? null,
			invoices: found.filter(({ subscriptionPk }) => subscriptionPk === row.subscription.pk),
		}));
	}

	return {
		async addCheckout({ id, subscriber, bought, ...facts }, by) {
			const appPk = subscriber.appPk;
			const values = {
				...facts,
				id,
				subject: subscriber.subject,
				appPk,
				connectionPk: subscriber.subject === "user" ? subscriber.connectionPk : null,
				pricePk: bought.subject === "user" ? bought.pricePk : null,
				appPlan: bought.subject === "app" ? bought.appPlan : null,
				startedBy: by.actor,
				createdMs: by.nowMs,
			};
			const changes = { subject: subscriber.subject, appPlan: values.appPlan };
			await write([
				{ run: queries.insert(checkouts).values(values) },
				{ run: auditBy(by, { appPk, event: "checkout.opened", target: id, changes }) },
			]);
		},
		async findCheckout(id) {
			const [row] = await read(() =>
				queries
					.select({ checkout: checkouts, app: { pk: apps.pk, id: apps.id, name: apps.name } })
					.from(checkouts)
					.innerJoin(apps, eq(apps.pk, checkouts.appPk))
					.where(eq(checkouts.id, id)),
			);
			return row && { ...row.checkout, app: row.app, subscriber: toSubscriber(row.checkout) };
		},
		find: (id) => findOne(eq(subscriptions.id, id)),
		findByRef: (processor, ref) => findOne(and(eq(subscriptions.processor, processor), eq(subscriptions.ref, ref))),
		findLive: (subscriber) => findOne(and(ofSubscriber(subscriber), isNull(subscriptions.endedMs))),
		findLatest: (subscriber) => findOne(ofSubscriber(subscriber), sql`${subscriptions.endedMs} IS NOT NULL`),
		async save(reading) {
			const steps = readingSteps(database, reading);
			if (steps.length === 0) return undefined;
			const { refused } = await write(steps);
			return refused;
		},
		async listDue(processor, nowMs, graceBeforeMs, limit) {
			const over = and(lte(subscriptions.periodEndMs, nowMs), sql`ended_ms IS NULL`);
			const unpaid = sql`ended_ms IS NULL AND ${subscriptions.status} = 'past_due'`;
			const tooLong = and(lte(subscriptions.periodStartMs, graceBeforeMs), unpaid);
			const due = await listOf(and(of(processor), over), limit, asc(subscriptions.periodEndMs));
			const failed = await listOf(and(of(processor), tooLong), limit, asc(subscriptions.periodStartMs));
			return [...due, ...failed.filter(({ pk }) => !due.some((one) => one.pk === pk))];
		},
		async markWithdrawn({ subscription, trialMacs, mail, by }) {
			const { pk, id, subscriber } = subscription;
			const { refused } = await write([
				{
					run: sql`UPDATE subscriptions SET withdrawn_ms = ${by.nowMs}, revision = revision + 1
						WHERE pk = ${pk} AND ended_ms IS NULL AND withdrawn_ms IS NULL`,
					guard: "over",
				},
				...(subscriber.subject === "user" ? [followTier(sql`${subscriber.connectionPk}`)] : []),
				...trialMacs.map((mac) => ({ run: insertTrial(subscriber.appPk, mac, "withdrawal", by.nowMs) })),
				{ run: mailEntry(mail, by.nowMs) },
				{ run: auditBy(by, { appPk: subscriber.appPk, event: "subscription.withdrawn", target: id }) },
			]);
			return refused === undefined;
		},
		listWithdrawing: (processor, limit) => {
			const kept = sql`EXISTS (SELECT 1 FROM invoices WHERE subscription_pk = ${subscriptions.pk} AND amount_paid > amount_refunded)`;
			const open = or(isNull(subscriptions.endedMs), kept);
			return listOf(and(of(processor), sql`withdrawn_ms IS NOT NULL`, open), limit);
		},
		listOrphans: (processor, limit) => {
			// Whoever comes back has a new storage, and does not go on paying for the one that was deleted.
			const unconnected = sql`EXISTS (SELECT 1 FROM connections LEFT JOIN storages ON storages.pk = connections.storage_pk
				WHERE connections.pk = ${subscriptions.connectionPk}
					AND (connections.state <> 'connected' OR storages.created_ms > ${subscriptions.createdMs}))`;
			const deleting = sql`EXISTS (SELECT 1 FROM apps WHERE apps.pk = ${subscriptions.appPk} AND apps.deleting_ms IS NOT NULL)`;
			return listOf(
				and(of(processor), sql`ended_ms IS NULL`, or(unconnected, deleting)),
				limit,
				asc(subscriptions.periodEndMs),
			);
		},
		listTrialsEnding: (processor, nowMs, beforeMs, limit) => {
			const change = sql`EXISTS (SELECT 1 FROM emails WHERE emails.dedupe = ${trialEndingKey("")} || ${subscriptions.id})`;
			const ending = and(lte(subscriptions.trialEndMs, beforeMs), gt(subscriptions.trialEndMs, nowMs), not(change));
			const renews = sql`subject = 'user' AND ${subscriptions.status} = 'trialing' AND ended_ms IS NULL AND trial_end_ms IS NOT NULL AND withdrawn_ms IS NULL
				AND cancel_at_period_end = 0`;
			return listOf(and(of(processor), renews, ending), limit);
		},
		async warnOfTrialEnd({ pk, revision }, mail, nowMs) {
			const still = sql`UPDATE subscriptions SET revision = revision WHERE pk = ${pk} AND revision = ${revision}`;
			// One that moved is looked at again by the next round.
			await write([{ run: still, guard: "moved" }, { run: mailEntry(mail, nowMs) }]);
		},
		async list(appPk, { limit, beforePk }) {
			const before = beforePk === undefined ? undefined : lt(subscriptions.pk, beforePk);
			return await toOwned(await select(and(eq(subscriptions.appPk, appPk), before), [desc(subscriptions.pk)], limit));
		},
		async listLatest(appPk, userIds) {
			if (userIds.length === 0) return new Map();
			const users = await read(() =>
				queries
					.select({ pk: connections.pk, userId: connections.userId })
					.from(connections)
					// The plus sign keeps SQLite from walking all of the App's users.
					.where(and(sql`+${connections.appPk} = ${appPk}`, inArray(connections.userId, [...userIds]))),
			);
			// Those that ended first come first, so that what is found last is what counts.
			const ofUsers = inArray(
				subscriptions.connectionPk,
				users.map(({ pk }) => pk),
			);
			const rows = await select(
				// What they have bought of somebody else is none of the App's business.
				and(ofUsers, sql`+${subscriptions.appPk} = ${appPk}`),
				[sql`${subscriptions.endedMs} IS NULL`, asc(subscriptions.pk)],
				EVERY,
			);
			const latest = new Map(rows.map((row) => [row.subscription.connectionPk, toSubscription(row)]));
			return new Map(
				users.flatMap(({ pk, userId }) => {
					const subscription = latest.get(pk);
					return subscription ? [[userId, subscription] as const] : [];
				}),
			);
		},
		async findOwned(appPk, id) {
			const rows = await select(and(eq(subscriptions.appPk, appPk), eq(subscriptions.id, id)), [], 1);
			return (await toOwned(rows))[0];
		},
		async listOwnInvoices(appPk, { limit, beforePk }) {
			return await read(() =>
				queries
					.select({
						pk: invoices.pk,
						id: invoices.id,
						status: invoices.status,
						amountDue: invoices.amountDue,
						amountPaid: invoices.amountPaid,
						amountRefunded: invoices.amountRefunded,
						currency: invoices.currency,
						createdMs: invoices.createdMs,
					})
					.from(invoices)
					.innerJoin(subscriptions, eq(subscriptions.pk, invoices.subscriptionPk))
					.where(
						and(
							eq(subscriptions.appPk, appPk),
							eq(subscriptions.subject, "app"),
							beforePk === undefined ? undefined : lt(invoices.pk, beforePk),
						),
					)
					.orderBy(desc(invoices.pk))
					.limit(limit),
			);
		},
		async takeEvent(processor, { id, type, subscription }, nowMs) {
			const run = sql`INSERT INTO processor_events (processor, id, type, subscription_ref, received_ms)
				VALUES (${processor}, ${id}, ${type}, ${subscription}, ${nowMs}) ON CONFLICT DO NOTHING`;
			const { refused } = await write([{ run, guard: "taken" }]);
			return refused === undefined;
		},
		async endEvent(processor, eventId, nowMs) {
			await write([
				{
					run: sql`UPDATE processor_events SET done_ms = ${nowMs}
						WHERE processor = ${processor} AND id = ${eventId} AND done_ms IS NULL`,
				},
			]);
		},
		async listEvents(processor, { fromMs, beforeMs }, limit) {
			const rows = await read(() =>
				queries
					.select()
					.from(processorEvents)
					.where(
						and(
							sql`+${processorEvents.processor} = ${processor}`,
							sql`done_ms IS NULL`,
							gte(processorEvents.receivedMs, fromMs),
							lt(processorEvents.receivedMs, beforeMs),
						),
					)
					// Those that fail for ever must not keep newer ones waiting.
					.orderBy(desc(processorEvents.receivedMs))
					.limit(limit),
			);
			return rows.map(({ id, type, subscriptionRef }): ProcessorEvent => ({ id, type, subscription: subscriptionRef }));
		},
	};
}
