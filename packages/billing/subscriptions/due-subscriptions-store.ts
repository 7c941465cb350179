import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { invoices } from "@svc/base/database/schema/billing/invoices";
import { type checkouts, subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import { emails } from "@svc/base/database/schema/mail";
import { and, asc, eq, exists, gt, isNotNull, isNull, lt, lte, ne, notExists, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { trialEndingKey } from "../mails/billing-mails.ts";
import type { Subscription } from "../subscription.ts";
import { isOfEarlierStorage, selectSubscriptions, toSubscription } from "./subscription-rows-store.ts";

/* The subscriptions of a processor that work is due for. */

export async function listDue(
	database: Database,
	processor: string,
	nowMs: number,
	graceBeforeMs: number,
	limit: number,
): Promise<readonly Subscription[]> {
	const { periodStartMs, periodEndMs, status, graceUntilMs } = subscriptions;
	const over = lte(periodEndMs, nowMs);
	// The literal lets SQLite see that its partial index will do.
	const noLonger = or(isNull(graceUntilMs), lte(graceUntilMs, nowMs));
	const tooLong = and(lte(periodStartMs, graceBeforeMs), sql`${status} = 'past_due'`, noLonger);
	const live = and(of(processor), isNull(subscriptions.endedMs));
	const due = await listOf(database, and(live, over), limit, periodEndMs);
	const failed = await listOf(database, and(live, tooLong), limit, periodStartMs);
	return [...due, ...failed.filter(({ pk }) => !due.some((one) => one.pk === pk))];
}

/** Live ones of a processor after a key, oldest first. */
export function listLive(
	database: Database,
	processor: string,
	afterPk: number,
	limit: number,
): Promise<readonly Subscription[]> {
	const live = and(of(processor), isNull(subscriptions.endedMs), gt(subscriptions.pk, afterPk));
	return listOf(database, live, limit);
}

export function listWithdrawing(
	database: Database,
	processor: string,
	limit: number,
): Promise<readonly Subscription[]> {
	const unreturned = and(
		eq(invoices.subscriptionPk, subscriptions.pk),
		gt(invoices.amountPaid, invoices.amountRefunded),
	);
	const kept = database.queries.select({ pk: invoices.pk }).from(invoices).where(unreturned);
	const open = or(isNull(subscriptions.endedMs), exists(kept));
	return listOf(database, and(of(processor), isNotNull(subscriptions.withdrawnMs), open), limit);
}

/** A literal: bound, it might count as no whole number. */
const DAY = sql.raw("86400000");

/**
 * Lists those that ended as their App was deleted, and whose dispute was won since: of an invoice that a bank held then, less was paid back
 * than the days are worth that were left.
 */
export function listOwing(database: Database, processor: string, limit: number): Promise<readonly Subscription[]> {
	const { queries } = database;
	const { endedMs, withdrawnMs, disputeState } = subscriptions;
	const { amountPaid, amountRefunded, periodStartMs, periodEndMs } = invoices;
	// As orphans.ts counts them.
	const days = sql`max(1, round(1.0 * (${periodEndMs} - ${periodStartMs}) / ${DAY}))`;
	const left = sql`min(${days}, (${periodEndMs} - ${endedMs} + ${DAY} - 1) / ${DAY})`;
	const share = sql`round(${amountPaid} * ${left} / ${days})`;
	const owed = queries
		.select({ pk: invoices.pk })
		.from(invoices)
		.where(
			and(
				eq(invoices.subscriptionPk, subscriptions.pk),
				gt(periodEndMs, endedMs),
				lt(amountRefunded, amountPaid),
				lt(amountRefunded, share),
			),
		);
	// Stripe counts in whole seconds, so that what ended with its App may seem to have done so a moment before.
	const withApp = and(eq(apps.pk, subscriptions.appPk), lt(apps.deletingMs, sql`${endedMs} + 1000`));
	const deleted = queries.select({ pk: apps.pk }).from(apps).where(withApp);
	const won = and(sql`${disputeState} IS NOT NULL`, eq(disputeState, "won"), isNull(withdrawnMs), isNotNull(endedMs));
	return listOf(database, and(of(processor), won, exists(deleted), exists(owed)), limit);
}

/** What was withdrawn from is paid back whole as it ends, and its payer told so: {@link listWithdrawing} finds it. */
export function listOrphans(database: Database, processor: string, limit: number): Promise<readonly Subscription[]> {
	const { queries } = database;
	const itsOwn = and(eq(connections.pk, subscriptions.connectionPk), ne(connections.state, "connected"));
	const unconnected = queries.select({ pk: connections.pk }).from(connections).where(itsOwn);
	const itsApp = and(eq(apps.pk, subscriptions.appPk), isNotNull(apps.deletingMs));
	const deleting = queries.select({ pk: apps.pk }).from(apps).where(itsApp);
	const where = and(
		of(processor),
		isNull(subscriptions.endedMs),
		isNull(subscriptions.withdrawnMs),
		or(exists(unconnected), isOfEarlierStorage(database), exists(deleting)),
	);
	return listOf(database, where, limit, subscriptions.periodEndMs);
}

/** Since when the App that a subscription or checkout is for is paused or blocked, whichever came first; null while it is neither. */
export function suspendedMs(of: typeof subscriptions | typeof checkouts = subscriptions) {
	const itsApp = sql`coalesce((SELECT ${connections.appPk} FROM ${connections}
		WHERE ${connections.pk} = ${of.connectionPk}), ${of.appPk})`;
	const first = sql`coalesce(min(${apps.pausedMs}, ${apps.blockedMs}), ${apps.pausedMs}, ${apps.blockedMs})`;
	return sql<number | null>`(SELECT ${first} FROM ${apps} WHERE ${apps.pk} = ${itsApp} AND ${apps.deletingMs} IS NULL)`;
}

/** Lists live ones that are not held for their App although it is paused or blocked, each with since when it is. */
export async function listToPause(
	database: Database,
	processor: string,
	limit: number,
): Promise<readonly { readonly ref: string; readonly sinceMs: number }[]> {
	const { ref, endedMs, collectionPaused, heldForApp } = subscriptions;
	const sinceMs = suspendedMs();
	// What a dispute holds already is held for the App as well: its payer is told, and it stays held when that is decided.
	const goesOn = or(eq(collectionPaused, false), eq(heldForApp, false));
	const collected = and(of(processor), isNull(endedMs), goesOn, isNotNull(sinceMs));
	const rows = await database.read(() =>
		database.queries.select({ ref, sinceMs }).from(subscriptions).where(collected).limit(limit),
	);
	return rows.map((row) => ({ ref: row.ref, sinceMs: row.sinceMs ?? 0 }));
}

/** Lists live ones of which nothing is collected although their App is back; a dispute has reasons of its own. */
export async function listToResume(
	database: Database,
	processor: string,
	limit: number,
): Promise<readonly { readonly ref: string }[]> {
	const { ref, endedMs, collectionPaused, disputeState } = subscriptions;
	const undisputed = or(isNull(disputeState), ne(disputeState, "open"));
	const held = and(of(processor), isNull(endedMs), eq(collectionPaused, true), undisputed, isNull(suspendedMs()));
	return await database.read(() => database.queries.select({ ref }).from(subscriptions).where(held).limit(limit));
}

/** Lists live ones whose dispute is lost, or is open and does not hold them yet. */
export function listToFollow(database: Database, processor: string, limit: number): Promise<readonly Subscription[]> {
	const { endedMs, disputeState, collectionPaused } = subscriptions;
	const opened = and(sql`${disputeState} = 'open'`, eq(collectionPaused, false));
	const undone = or(sql`${disputeState} = 'lost'`, opened);
	return listOf(database, and(of(processor), isNull(endedMs), isNotNull(disputeState), undone), limit);
}

/** Lists those with an open dispute after a key, ended ones too, oldest first. */
export function listDisputed(
	database: Database,
	processor: string,
	afterPk: number,
	limit: number,
): Promise<readonly Subscription[]> {
	const { pk, disputeState } = subscriptions;
	return listOf(database, and(of(processor), sql`${disputeState} = 'open'`, gt(pk, afterPk)), limit);
}

export function listTrialsEnding(
	database: Database,
	processor: string,
	nowMs: number,
	beforeMs: number,
	limit: number,
): Promise<readonly Subscription[]> {
	const { subject, status, endedMs, trialEndMs, withdrawnMs, cancelAtPeriodEnd, collectionPaused } = subscriptions;
	// A trial that has another end by now has a mail of its own.
	const itsMail = eq(emails.dedupe, sql`${trialEndingKey("", "")} || ${subscriptions.id} || ' ' || ${trialEndMs}`);
	const mailed = database.queries.select({ pk: emails.pk }).from(emails).where(itsMail);
	const where = and(
		of(processor),
		eq(subject, "user"),
		eq(status, "trialing"),
		eq(cancelAtPeriodEnd, false),
		eq(collectionPaused, false),
		isNull(endedMs),
		isNull(withdrawnMs),
		isNotNull(trialEndMs),
		lte(trialEndMs, beforeMs),
		gt(trialEndMs, nowMs),
		notExists(mailed),
	);
	return listOf(database, where, limit);
}

/** Uses no index: nearly all rows are of the one processor, and there are better ways to find the few that are due. */
function of(processor: string): SQL {
	return sql`+${subscriptions.processor} = ${processor}`;
}

async function listOf(
	database: Database,
	where: SQL | undefined,
	limit: number,
	by: SQLiteColumn = subscriptions.pk,
): Promise<readonly Subscription[]> {
	return (await selectSubscriptions(database, { where, order: [asc(by)], limit })).map(toSubscription);
}
