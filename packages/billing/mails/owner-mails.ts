import { type NewMail, newMail } from "@svc/mail/mail";
import { WITHDRAWAL_MS } from "../plans/bought.ts";
import { accessOf, type Subscription } from "../subscription.ts";
import { factsOf, type PagePlace, type SubscriptionChange } from "./billing-mails.ts";

/* Mails to the Owner of an App about what the App pays for itself; of a payment that fails its Admins hear too. */

function startedMail(place: PagePlace, change: SubscriptionChange): NewMail {
	const { snapshot, payer, id } = change;
	const facts = {
		...factsOf(place, change),
		tax: snapshot.invoices.reduce((sum, one) => sum + one.tax, 0),
		until: isoOf(snapshot.periodEndMs),
		withdraw: isoOf(snapshot.startedMs + WITHDRAWAL_MS),
	};
	return newMail("app_plan_started", payer.email, facts, `app_plan_started ${id}`);
}

/** The mails that a reading of an App's own plan causes beside those of all plans. */
export function ownerMails(place: PagePlace, change: SubscriptionChange): readonly NewMail[] {
	const { snapshot, before, subject } = change;
	if (subject !== "app") return [];
	if (!before) return snapshot.endedMs === null ? [startedMail(place, change)] : [];
	if (before.endedMs !== null) return [];
	if (snapshot.endedMs !== null) return endMails(place, change, before);
	const fails = snapshot.status === "past_due" && before.status !== "past_due";
	return fails ? failingMails(place, change) : [];
}

function failingMails(place: PagePlace, change: SubscriptionChange): readonly NewMail[] {
	const { snapshot, payer, admins, id, graceMs } = change;
	const { periodStartMs, nextTryMs, invoices } = snapshot;
	const facts = {
		...factsOf(place, change),
		due: invoices.findLast(({ status }) => status === "open")?.amountDue ?? 0,
		until: isoOf(periodStartMs + graceMs),
		...(nextTryMs !== undefined && { next: isoOf(nextTryMs) }),
	};
	const key = `app_plan_failing ${id} ${periodStartMs}`;
	// The plan's page is the Owner's alone: Admins find the App on their own account's.
	const page = `${place.addresses.web}/account`;
	return [
		newMail("app_plan_failing", payer.email, facts, key),
		...admins.map((email) => newMail("app_plan_failing", email, { ...facts, page }, `${key} ${email}`)),
	];
}

/** None for what its payer withdrew from, or what ends with its App: those have mails of their own. */
function endMails(place: PagePlace, change: SubscriptionChange, before: Subscription): readonly NewMail[] {
	const { payer, id, nowMs, graceMs, snapshot } = change;
	if (before.withdrawnMs !== null || payer.app.deleting) return [];
	const locked = before.status === "past_due" && accessOf(before, nowMs, graceMs).status === "inactive";
	const template = locked ? "app_plan_locked" : "app_plan_ended";
	const facts = { ...factsOf(place, change), until: isoOf(snapshot.endedMs ?? nowMs) };
	return [newMail(template, payer.email, facts, `app_plan_over ${id}`)];
}

function isoOf(ms: number): string {
	return new Date(ms).toISOString();
}
