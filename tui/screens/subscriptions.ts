import type { Invoice } from "@svc/sdk/shapes";
import { amountText, priceText } from "../money.ts";
import type { Money, MonthMoney, SubscriptionThing, Thing } from "../state/things.ts";
import { ageText } from "../text.ts";
import { labelledChart } from "../view/chart.ts";
import { named, type Screen, type Section, screenOf, type Tone } from "./describe.ts";

const CHART_ROWS = 5;

const TONES: Readonly<Record<string, readonly [sign: string, tone: Tone | undefined]>> = {
	active: ["○", undefined],
	trialing: ["…", "accent"],
	past_due: ["▣", "warn"],
	unpaid: ["▣", "warn"],
};

function stateOf({ status, ended_at, cancel_at_period_end }: SubscriptionThing): readonly [string, Tone | undefined] {
	if (ended_at !== null) return ["⛒ ended", "danger"];
	if (cancel_at_period_end) return ["▣ cancelled", "warn"];
	const [sign, tone] = TONES[status] ?? ["⛒", "danger"];
	return [`${sign} ${status.replaceAll("_", " ")}`, tone];
}

const one = screenOf<SubscriptionThing>({
	object: "subscription",
	columns: [
		{ title: "State", width: 12, text: (it) => stateOf(it)[0], tone: (it) => stateOf(it)[1] },
		{ title: "User", text: userText },
		{ title: "Plan", width: 16, text: ({ plan_key }) => plan_key ?? "—" },
		{ title: "Price", width: 15, text: ({ price }) => priceText(price) },
		{ title: "Paid until", width: 10, text: ({ current_period_end }) => dayOf(current_period_end) },
		{ title: "Since", width: 8, more: true, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "Invoices", width: 8, more: true, text: ({ invoices }) => String(invoices.length) },
	],
	empty: "Nobody pays this App. svc subscribers list says the same; plans are sold on the screen of plans.",
	sections,
});

/** Above those who pay stands what all of them brought in. */
export const subscriptions: Screen = {
	...one,
	cells: (thing, nowMs) => (thing.object === "money" ? moneyCells(thing) : one.cells(thing, nowMs)),
	sections: (thing: Thing, nowMs) => (thing.object === "money" ? moneySections(thing) : one.sections(thing, nowMs)),
};

function userText({ user_id, user_email }: SubscriptionThing): string {
	return user_email ?? user_id ?? "the App itself";
}

function dayOf(at: string | null): string {
	return at === null ? "—" : at.slice(0, "2026-11-24".length);
}

function sections(subscription: SubscriptionThing, nowMs: number): readonly Section[] {
	const { dispute, invoices, pending_plan_key: pending } = subscription;
	return [
		{
			title: "Subscription",
			rows: [
				["id", subscription.id],
				["user", named(subscription.user_email, subscription.user_id ?? "none: the App's own plan")],
				["sold by", subscription.seller.name],
				["plan", subscription.plan_key ?? "—"],
				["price", priceText(subscription.price)],
				["state", stateOf(subscription)[0]],
				["paid until", dayOf(subscription.current_period_end)],
				...(subscription.trial_end === null ? [] : [["trial until", dayOf(subscription.trial_end)] as const]),
				...(pending === null ? [] : [["then", pending] as const]),
				...(dispute === null ? [] : [["dispute", `${dispute.state} since ${ageText(dispute.at, nowMs)}`] as const]),
				["since", ageText(subscription.created_at, nowMs)],
				["ended", ageText(subscription.ended_at, nowMs)],
			],
		},
		{ title: `Invoices: ${invoices.length}`, rows: invoices.flatMap(invoiceRows) },
	];
}

function invoiceRows({ created_at, number, status, total, currency, refunds }: Invoice): Section["rows"] {
	const back = refunds.map(({ amount, reason }): readonly [string, string] => [
		"",
		`paid back ${amountText(amount, currency)}: ${reason}`,
	]);
	return [[dayOf(created_at), `${amountText(total, currency)} ${status}, ${number}`], ...back];
}

function moneyCells({ months, counted }: Money): ReturnType<Screen["cells"]> {
	const [last] = months.slice(-1);
	const total = last === undefined ? "—" : `${amountText(last.paid - last.refunded, last.currency)} in ${last.month}`;
	return ["Σ all", `${total}, ${counted} counted`].map((text) => ({ text, tone: "accent" }));
}

function moneySections({ months, counted, hasMore }: Money): readonly Section[] {
	const rows = months.toReversed().map((money): [string, string] => [money.month, monthText(money)]);
	const charts = [...new Set(months.map(({ currency }) => currency))].map((currency): Section => {
		const bars = months
			.filter((one) => one.currency === currency)
			.map(({ month: label, paid, refunded }) => ({ label, value: paid - refunded }));
		const most = Math.max(...bars.map(({ value }) => value));
		const title = `By month, in ${currency.toUpperCase()}; at most ${amountText(most, currency)}`;
		return { title, rows: [], draw: (columns) => labelledChart(bars, columns, CHART_ROWS) };
	});
	const of = hasMore ? `the newest ${counted} subscriptions` : `${counted} subscriptions`;
	return [{ title: `Money of ${of}`, rows: totalsOf(months) }, ...charts, { title: "Each month", rows }];
}

/** What came in so far, less what went back, in each currency. */
function totalsOf(months: Money["months"]): Section["rows"] {
	const sums = new Map<string, number>();
	for (const { currency, paid, refunded } of months) {
		sums.set(currency, (sums.get(currency) ?? 0) + paid - refunded);
	}
	return [...sums].map(([currency, sum]) => [`in ${currency.toUpperCase()}`, amountText(sum, currency)] as const);
}

function monthText({ paid, refunded, currency }: MonthMoney): string {
	const back = refunded === 0 ? "" : `, of which ${amountText(refunded, currency)} went back`;
	return `${amountText(paid, currency)}${back}`;
}
