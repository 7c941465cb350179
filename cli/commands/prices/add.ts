import type { NewPrice } from "@svc/sdk/billing";
import { advising } from "../../advice.ts";
import { oneOf } from "../../choice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { PRICE_COLUMNS, priceText } from "../plans/columns.ts";
import { PLAN_ADVICE } from "../plans/fields.ts";

interface Terms {
	readonly amount?: string | undefined;
	readonly currency?: string | undefined;
	readonly interval?: string | undefined;
	readonly "trial-days"?: string | undefined;
}

function readWhole(flag: string, text: string | undefined, hint: string): number {
	if (text !== undefined && /^\d{1,9}$/.test(text)) return Number(text);
	throw new UsageError(`--${flag} ${text === undefined ? "is missing" : `cannot be "${text}"`}: ${hint}.`);
}

/** @throws UsageError */
function readTerms({ amount, currency, interval: asked = "month", "trial-days": trial = "0" }: Terms): NewPrice {
	const whole = readWhole("amount", amount, "a whole number of the currency's smallest unit, as 499 for 4.99 usd");
	if (currency === undefined || !/^[a-z]{3}$/i.test(currency)) {
		throw new UsageError("--currency takes the three letters of a currency, as usd.");
	}
	const interval = oneOf("--interval", asked, ["month", "year"]);
	const trialDays = readWhole("trial-days", trial, "a whole number of days");
	return { amount: whole, currency: currency.toLowerCase(), interval, trialDays };
}

export const add = defineLeaf({
	summary: "Add a price to a plan and put it on sale",
	notes: "Its terms never change: for others, add another price and take this one off sale.",
	examples: [
		"svc prices add pln_1 --amount 499 --currency usd",
		"svc prices add pln_1 --amount 4900 --currency eur --interval year --trial-days 7",
	],
	args: {
		plan: { type: "positional", required: true, valueHint: "id", description: "Plan id" },
		amount: { type: "string", valueHint: "499", description: "In the currency's smallest unit: 499 is 4.99 usd" },
		currency: { type: "string", valueHint: "usd", description: "ISO 4217" },
		interval: { type: "string", valueHint: "month|year", description: "How often it is paid; default month" },
		"trial-days": { type: "string", valueHint: "n", description: "Days before the first payment; default 0" },
	},
	async run({ args }, context) {
		const { out, world } = context;
		const terms = readTerms(args);
		const { app, path } = await teamOf(context);
		if (context.globals.dryRun) {
			const { trialDays: trial_days, ...rest } = terms;
			return showPlan(out, [
				{ method: "POST", path: path("plans", args.plan, "prices"), body: { ...rest, trial_days } },
			]);
		}
		const options = { signal: world.signal };
		const price = await advising(PLAN_ADVICE, () => app.plans.addPrice(args.plan, terms, options));
		await out.record(PRICE_COLUMNS, price);
		if (!out.isJson) await out.note(`On sale for ${priceText(price)}.`);
		return EXIT.ok;
	},
});
