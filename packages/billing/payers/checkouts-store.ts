import type { Actor } from "@svc/base/actor";
import { auditBy, auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { checkouts } from "@svc/base/database/schema/billing/subscriptions";
import { and, desc, eq, gte, isNotNull, isNull, sql } from "drizzle-orm";
import type { ChosenGoods } from "../plans/plan.ts";
import type { Subscriber } from "../subscription.ts";
import { suspendedMs } from "../subscriptions/due-subscriptions-store.ts";
import { toSubscriber } from "../subscriptions/subscription-rows-store.ts";

/* Payers who were sent to the processor to pay. */

export function checkoutStore(database: Database) {
	return {
		add: addCheckout.bind(undefined, database),
		find: findCheckout.bind(undefined, database),
		/** Lists those that were opened since then and are not done, of one subscriber or of all; newest first. */
		listOpen: listOpenCheckouts.bind(undefined, database),
		/** Lists open ones for Apps that are paused or blocked, newest first. */
		listToClose: listToClose.bind(undefined, database),
		/** It is over, and was not paid. */
		close: closeCheckout.bind(undefined, database),
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

/** A payer was sent to the processor to pay. */
interface NewCheckout {
	readonly id: string;
	readonly subscriber: Subscriber;
	readonly bought: ChosenGoods;
	readonly trialDays: number;
	/** Where the browser goes afterwards, with `state`; null for a page of ours. */
	readonly redirectUri: string | null;
	readonly state: string | null;
	readonly processor: string;
	readonly ref: string;
}

export interface Checkout extends Omit<NewCheckout, "bought"> {
	readonly pk: number;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	/** Public id of the account that opened it. */
	readonly startedBy: string;
	readonly doneMs: number | null;
}

/** One that is neither done nor too old to be paid. */
export type OpenCheckout = Pick<Checkout, "id" | "ref">;
