import { UsageError } from "@svc/base/processes/exit";
import { saleText } from "@svc/nouns/plan";
import type { NewPrice } from "@svc/sdk/calls/billing";
import { INTERVALS } from "@svc/sdk/lists";
import type { Command } from "../../kit/command.ts";
import { oneOf } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { shows } from "../../kit/output/shows.ts";
import { PLAN_ADVICE, PRICE_COLUMNS } from "./plans.ts";

interface Terms {
	readonly amount?: string | undefined;
	readonly currency?: string | undefined;
	readonly interval?: string | undefined;
	readonly "trial-days"?: string | undefined;
}

const add = shows({
	summary: "Add a price to a plan and put it on sale",
	notes: "Its terms never change: for others, add another price and take this one off sale.",
	examples: [
		"svc prices create pln_1 --amount 499 --currency usd",
		"svc prices create pln_1 --amount 4900 --currency eur --interval year --trial-days 7",
	],
	args: {
		plan: takes.id("Plan id"),
		amount: takes.text("In the currency's smallest unit: 499 is 4.99 usd", "499"),
		currency: takes.text("ISO 4217", "usd"),
		interval: takes.choice("How often it is paid; default month", INTERVALS),
		"trial-days": takes.text("Days before the first payment; default 0", "n"),
	},
	columns: PRICE_COLUMNS,
	advice: PLAN_ADVICE,
	from: "app",
	send: ({ args }) => {
		const terms = readTerms(args);
		return (app, options) => app.plans.createPrice(args.plan, terms, options);
	},
	after: async (price, _, { out }) => {
		if (!out.isJson) await out.note(`On sale for ${saleText(price)}.`);
	},
});

const onSale = setsOnSale(true, {
	summary: "Put a price on sale again",
	examples: ["svc prices on-sale pln_1 pri_1"],
});

const offSale = setsOnSale(false, {
	summary: "Take a price off sale",
	notes: "Those who pay it go on paying it. Undone by: svc prices on-sale",
	examples: ["svc prices off-sale pln_1 pri_1"],
});

export const PRICE_COMMANDS = { create: add, "on-sale": onSale, "off-sale": offSale };

/** @throws UsageError */
function readTerms({ amount, currency, interval: asked = "month", "trial-days": trial = "0" }: Terms): NewPrice {
	const whole = readWhole("amount", amount, "a whole number of the currency's smallest unit, as 499 for 4.99 usd");
	if (currency === undefined || !/^[a-z]{3}$/i.test(currency)) {
		throw new UsageError("--currency takes the three letters of a currency, as usd.");
	}
	const interval = oneOf("--interval", asked, INTERVALS);
	const trialDays = readWhole("trial-days", trial, "a whole number of days");
	return { amount: whole, currency: currency.toLowerCase(), interval, trialDays };
}

function readWhole(flag: string, text: string | undefined, hint: string): number {
	if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text);
	throw new UsageError(`--${flag} ${text === undefined ? "is missing" : `cannot be "${text}"`}: ${hint}.`);
}

function setsOnSale(onSale: boolean, described: Pick<Command, "summary" | "examples" | "notes">): Command {
	return shows({
		...described,
		args: { plan: takes.id("Plan id"), price: takes.id("Price id") },
		columns: PRICE_COLUMNS,
		advice: PLAN_ADVICE,
		from: "app",
		send:
			({ args: { plan, price } }) =>
			(app, options) =>
				app.plans.setOnSale(plan, price, onSale, options),
	});
}
