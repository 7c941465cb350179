import { auditBy } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { subscriptions } from "@svc/base/database/schema/billing";
import type { TrialReason } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import { mailEntry } from "@svc/mail/mail-store";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { ProcessorInvoice } from "./ports.ts";
import type { Bought, Reading, Subscription } from "./subscriptions.ts";
import { followTier } from "./tiers-store.ts";

type ReadingStep = Step<"moved" | "second" | "trial_used">;

/** All that a reading changes. The order decides which refusal wins. */
export function readingSteps(database: Database, reading: Reading): readonly ReadingStep[] {
	const { before, snapshot, by, grantedPlan, subscriber, id } = reading;
	const { appPk } = subscriber;
	const changes = changesOf(reading);
	return [
		...(before ? updateSteps(database, before, reading) : insertSteps(database, reading)),
		...snapshot.invoices.map((invoice) => ({ run: upsertInvoice(reading, invoice) })),
		{ run: sql`UPDATE checkouts SET done_ms = ${by.nowMs} WHERE id = ${snapshot.checkout} AND done_ms IS NULL` },
		// Only a change of what it grants moves the App: what an operator has given since stays.
		...(grantedPlan !== null && grantedPlan !== (before?.grantedPlan ?? "free")
			? [{ run: sql`UPDATE apps SET plan = ${grantedPlan} WHERE pk = ${appPk}` }]
			: []),
		...(subscriber.subject === "user" ? [followTier(sql`${subscriber.connectionPk}`)] : []),
		...(Object.keys(changes).length > 0
			? [{ run: auditBy(by, { appPk, event: eventOf(reading), target: id, changes }) }]
			: []),
		...reading.mails.map((mail) => ({ run: mailEntry(mail, by.nowMs) })),
	];
}

function eventOf({ before, snapshot }: Reading): string {
	if (!before) return "subscription.started";
	return before.endedMs === null && snapshot.endedMs !== null ? "subscription.ended" : "subscription.updated";
}

/** What an auditor wants to see of a reading; empty when nothing happened. */
function changesOf({ before, snapshot, bought, pending, grantedPlan }: Reading): Readonly<Record<string, unknown>> {
	const after = {
		status: snapshot.status,
		bought: nameOf(bought),
		pending: pending ? nameOf(pending.bought) : null,
		cancelAtPeriodEnd: snapshot.cancelAtPeriodEnd,
		periodEndMs: snapshot.periodEndMs,
		plan: grantedPlan,
	};
	if (!before) return after;
	const known: typeof after = {
		status: before.status,
		bought: nameOf(before.bought),
		pending: before.pending ? nameOf(before.pending.bought) : null,
		cancelAtPeriodEnd: before.cancelAtPeriodEnd,
		periodEndMs: before.periodEndMs,
		plan: before.grantedPlan,
	};
	return Object.fromEntries(
		Object.entries(after).filter(([name, value]) => known[name as keyof typeof after] !== value),
	);
}

function nameOf(bought: Bought): string {
	return bought.subject === "app" ? bought.appPlan : bought.priceId;
}

function columnsOf({ snapshot, bought, pending, grantedPlan, by }: Reading) {
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
		appPlan: bought.subject === "app" ? bought.appPlan : null,
		pendingPricePk: pending?.bought.subject === "user" ? pending.bought.pricePk : null,
		pendingAppPlan: pending?.bought.subject === "app" ? pending.bought.appPlan : null,
		pendingMs: pending?.atMs ?? null,
		syncedMs: by.nowMs,
	};
}

function updateSteps({ queries }: Database, { pk, revision }: Subscription, reading: Reading): readonly ReadingStep[] {
	return [
		{
			run: queries
				.update(subscriptions)
				.set({ ...columnsOf(reading), revision: revision + 1 })
				.where(and(eq(subscriptions.pk, pk), eq(subscriptions.revision, revision))),
			guard: "moved",
		},
	];
}

function insertSteps({ queries }: Database, reading: Reading): readonly ReadingStep[] {
	const { id, subscriber, processor, snapshot, by } = reading;
	const { subject, appPk } = subscriber;
	const connectionPk = subscriber.subject === "user" ? subscriber.connectionPk : null;
	const values = { id, subject, appPk, connectionPk, processor, ref: snapshot.ref, createdMs: by.nowMs };
	const known = sql`SELECT 1 FROM subscriptions WHERE processor = ${processor} AND ref = ${snapshot.ref}`;
	const live =
		subscriber.subject === "user"
			? sql`SELECT 1 FROM subscriptions WHERE connection_pk = ${connectionPk} AND subject = 'user' AND ended_ms IS NULL`
			: sql`SELECT 1 FROM subscriptions WHERE app_pk = ${appPk} AND subject = 'app' AND ended_ms IS NULL`;
	return [
		touch(appPk, sql`NOT EXISTS (${known})`, "moved"),
		...(snapshot.endedMs === null ? [touch(appPk, sql`NOT EXISTS (${live})`, "second")] : []),
		...(snapshot.endedMs === null && snapshot.trialEndMs !== null ? trialSteps(reading) : []),
		{ run: queries.insert(subscriptions).values({ ...values, ...columnsOf(reading) }) },
	];
}

function trialSteps({ subscriber: { appPk }, trialMacs, by }: Reading): readonly ReadingStep[] {
	return [
		...trialMacs.map((mac) => {
			const had = sql`SELECT 1 FROM trial_grants WHERE app_pk = ${appPk} AND email_mac = ${mac}`;
			return touch(appPk, sql`NOT EXISTS (${had})`, "trial_used" as const);
		}),
		...trialMacs.map((mac) => ({ run: insertTrial(appPk, mac, "trial", by.nowMs) })),
	];
}

export function insertTrial(appPk: number, mac: Uint8Array, reason: TrialReason, nowMs: number): SQL {
	return sql`INSERT INTO trial_grants (app_pk, email_mac, reason, created_ms) VALUES (${appPk}, ${mac}, ${reason}, ${nowMs})
		ON CONFLICT DO NOTHING`;
}

/** Changes nothing, and only where the condition holds. */
function touch<Cause extends string>(appPk: number, condition: SQL, guard: Cause): Step<Cause> {
	return { run: sql`UPDATE apps SET plan = plan WHERE pk = ${appPk} AND ${condition}`, guard };
}

function upsertInvoice({ processor, snapshot }: Reading, invoice: ProcessorInvoice): SQL {
	const { ref, status, amountDue, amountPaid, amountRefunded, currency, createdMs } = invoice;
	return sql`INSERT INTO invoices (id, subscription_pk, ref, status, amount_due, amount_paid, amount_refunded, currency, created_ms)
		SELECT ${newId("ivc")}, pk, ${ref}, ${status}, ${amountDue}, ${amountPaid}, ${amountRefunded}, ${currency}, ${createdMs}
			FROM subscriptions WHERE processor = ${processor} AND ref = ${snapshot.ref}
		ON CONFLICT (subscription_pk, ref) DO UPDATE SET status = excluded.status, amount_due = excluded.amount_due,
			amount_paid = excluded.amount_paid, amount_refunded = excluded.amount_refunded`;
}
