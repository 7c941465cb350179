import type { NounSection } from "@svc/nouns/noun";
import { amountText } from "@svc/nouns/plan";
import { SUBSCRIPTION } from "@svc/nouns/subscription";
import type { Money, MonthMoney } from "../state/things.ts";
import { labelledChart } from "../view/chart.ts";
import { type Screen, screenOf } from "./describe.ts";

const CHART_ROWS = 5;

const one = screenOf("subscription", SUBSCRIPTION);

/** Above those who pay stands what all of them brought in. */
export const subscriptions: Screen = {
	...one,
	cells: (thing, nowMs) => (thing.object === "money" ? moneyCells(thing) : one.cells(thing, nowMs)),
	sections: (thing, nowMs) => (thing.object === "money" ? moneySections(thing) : one.sections(thing, nowMs)),
};

function moneyCells({ months, counted }: Money): ReturnType<Screen["cells"]> {
	const [last] = months.slice(-1);
	const total = last === undefined ? "—" : `${amountText(last.paid - last.refunded, last.currency)} in ${last.month}`;
	return ["Σ all", `${total}, ${counted} counted`].map((text) => ({ text, tone: "accent" }));
}

function moneySections({ months, counted, hasMore }: Money): readonly NounSection[] {
	const rows = months.toReversed().map((money): [string, string] => [money.month, monthText(money)]);
	const charts = [...new Set(months.map(({ currency }) => currency))].map((currency): NounSection => {
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
function totalsOf(months: Money["months"]): NounSection["rows"] {
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
