import { OWN_APP_PK } from "@svc/apps/own-app-store";
import type { Actor } from "@svc/base/actor";
import { auditBy, auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, members } from "@svc/base/database/schema/apps";
import { subscriptions, unsoldSubscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { connections } from "@svc/base/database/schema/connect";
import type { Step } from "@svc/base/database/step";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, asc, eq, exists, isNull, lte, not, notExists, or, type SQL, sql } from "drizzle-orm";
import type { OwnGoods } from "../plans/bought.ts";
import type { Subscription } from "../subscription.ts";
import { selectSubscriptions, toSubscription } from "./subscription-rows-store.ts";

/** `unsold`: what of its own the service does not sell at present. */
export function unsoldStore(database: Database, unsold: readonly OwnGoods[]) {
	const { queries, read, write } = database;
	const ofGoods = {
		tier: sql`iif(${subscriptions.subject} = 'user', ${subscriptions.appPk} IS ${OWN_APP_PK}, ${subscriptions.pricePk} IS NOT NULL)`,
		app_plan: sql`(${subscriptions.subject} = 'app' AND ${subscriptions.pricePk} IS NULL)`,
	};
	const isUnsold = or(sql`FALSE`, ...unsold.map((goods) => ofGoods[goods]));
	const its = eq(unsoldSubscriptions.subscriptionPk, subscriptions.pk);
	const marks = queries.select({ pk: unsoldSubscriptions.subscriptionPk }).from(unsoldSubscriptions).where(its);
	const live = and(isNull(subscriptions.endedMs), isNull(subscriptions.withdrawnMs));
	const goesOn = and(live, eq(subscriptions.cancelAtPeriodEnd, false));

	async function list(processor: string, where: SQL | undefined, limit: number): Promise<readonly Subscription[]> {
		const all = and(sql`+${subscriptions.processor} = ${processor}`, where);
		return (await selectSubscriptions(database, { where: all, order: [asc(subscriptions.pk)], limit })).map(
			toSubscription,
		);
	}

	return {
		/** Lists those that would be renewed, and are not marked. */
		listNew: (processor: string, limit: number) => list(processor, and(goesOn, isUnsold, notExists(marks)), limit),
		/** Lists marked ones that the processor has not been told of. */
		listToEnd: (processor: string, limit: number) => list(processor, and(goesOn, isUnsold, exists(marks)), limit),
		/** Lists marked ones that are sold again. */
		listBack: (processor: string, limit: number) =>
			list(processor, and(not(isUnsold ?? sql`FALSE`), exists(marks)), limit),
		findPayer: findPayer.bind(undefined, database),
		/** Marks it once, with the audit's entry and the mail. */
		async mark({ pk, id, subscriber }: Subscription, mail: NewMail | undefined, nowMs: number): Promise<void> {
			const row = { subscriptionPk: pk, sinceMs: nowMs };
			const entry = { atMs: nowMs, actor: "billing", appPk: subscriber.appPk, target: id };
			await write([
				{ run: queries.insert(unsoldSubscriptions).values(row).onConflictDoNothing(), guard: "marked" },
				{ run: auditEntry({ ...entry, event: "subscription.not_renewed" }) },
				...(mail ? [{ run: mailEntry(mail, nowMs) }] : []),
			] satisfies readonly Step<"marked">[]);
		},
		/** A round lets it go on, which takes a while: false where it is not marked any more, or another round does so already. */
		async claim({ pk }: Pick<Subscription, "pk">, nowMs: number): Promise<boolean> {
			const free = and(eq(unsoldSubscriptions.subscriptionPk, pk), isUnclaimed(nowMs));
			const { refused } = await write([
				{ run: queries.update(unsoldSubscriptions).set({ resumingMs: nowMs }).where(free), guard: "claimed" },
			]);
			return refused === undefined;
		},
		async isMarked({ pk }: Pick<Subscription, "pk">): Promise<boolean> {
			const its = eq(unsoldSubscriptions.subscriptionPk, pk);
			const row = queries.select({ pk: unsoldSubscriptions.subscriptionPk }).from(unsoldSubscriptions).where(its);
			return (await read(() => row)).length > 0;
		},
		/**
		 * A person has cancelled it: it is not renewed either when it is sold again. False where it is not marked, or a round lets it go on
		 * at this moment.
		 */
		async release({ pk, id, subscriber }: Subscription, by: Actor): Promise<boolean> {
			const free = and(eq(unsoldSubscriptions.subscriptionPk, pk), isUnclaimed(by.nowMs));
			const entry = { appPk: subscriber.appPk, event: "subscription.cancelled", target: id };
			const { refused } = await write([
				{ run: queries.delete(unsoldSubscriptions).where(free), guard: "kept" },
				{ run: auditBy(by, entry) },
			] satisfies readonly Step<"kept">[]);
			return refused === undefined;
		},
		/** It is renewed again. */
		async forget({ pk, id, subscriber }: Subscription, nowMs: number): Promise<void> {
			const entry = { atMs: nowMs, actor: "billing", appPk: subscriber.appPk, target: id };
			await write([
				{ run: queries.delete(unsoldSubscriptions).where(eq(unsoldSubscriptions.subscriptionPk, pk)), guard: "gone" },
				{ run: auditEntry({ ...entry, event: "subscription.renewed_again" }) },
			] satisfies readonly Step<"gone">[]);
		},
	};
}

/** A round that was interrupted holds it no longer than that. */
const CLAIM_MS = 60_000;

function isUnclaimed(nowMs: number): SQL | undefined {
	return or(isNull(unsoldSubscriptions.resumingMs), lte(unsoldSubscriptions.resumingMs, nowMs - CLAIM_MS));
}

/** A tier is paid by the person of its connection, an App's own plan by the App's Owner. */
async function findPayer({ queries, read }: Database, { subscriber }: Subscription): Promise<UnsoldPayer | undefined> {
	const fields = { email: accounts.email, app: apps.name };
	const [row] = await read(() =>
		subscriber.subject === "user"
			? queries
					.select(fields)
					.from(connections)
					.innerJoin(accounts, eq(accounts.pk, connections.accountPk))
					.innerJoin(apps, eq(apps.pk, connections.appPk))
					.where(eq(connections.pk, subscriber.connectionPk))
			: queries
					.select(fields)
					.from(members)
					.innerJoin(accounts, eq(accounts.pk, members.accountPk))
					.innerJoin(apps, eq(apps.pk, members.appPk))
					.where(and(eq(members.appPk, subscriber.appPk), eq(members.role, "owner"))),
	);
	return row;
}

/** Who pays, and the App that it is about. */
interface UnsoldPayer {
	readonly email: string;
	readonly app: string;
}
