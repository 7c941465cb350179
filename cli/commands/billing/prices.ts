import type { NewPrice } from "@svc/sdk/calls/billing";
import { INTERVALS } from "@svc/sdk/lists";
import { type Context, defineCommand } from "../../kit/command.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT, type ExitCode, UsageError } from "../../kit/exit.ts";
import { oneOf } from "../../kit/line/choice.ts";
import { advising } from "../../kit/refusal.ts";
import { PLAN_ADVICE, PRICE_COLUMNS, priceText } from "./plans.ts";

interface Terms {
	readonly amount?: string | undefined;
	readonly currency?: string | undefined;
	readonly interval?: string | undefined;
	readonly "trial-days"?: string | undefined;
}

const add = defineCommand({
	summary: "Add a price to a plan and put it on sale",
	notes: "Its terms never change: for others, add another price and take this one off sale.",
	examples: [
		"svc prices create pln_1 --amount 499 --currency usd",
		"svc prices create pln_1 --amount 4900 --currency eur --interval year --trial-days 7",
	],
	args: {
		plan: { type: "positional", required: true, valueHint: "id", description: "Plan id" },
		amount: { type: "string", valueHint: "499", description: "In the currency's smallest unit: 499 is 4.99 usd" },
		currency: { type: "string", valueHint: "usd", description: "ISO 4217" },
		interval: { type: "string", valueHint: INTERVALS.join("|"), description: "How often it is paid; default month" },
		"trial-days": { type: "string", valueHint: "n", description: "Days before the first payment; default 0" },
	},
	async run({ args }, context) {
		const { out, process } = context;
		const terms = readTerms(args);
		const { app } = await chosenApp(context);
		const options = { signal: process.signal };
		const price = await advising(PLAN_ADVICE, () => app.plans.createPrice(args.plan, terms, options));
		await out.record(PRICE_COLUMNS, price);
		if (!out.isJson) await out.note(`On sale for ${priceText(price)}.`);
		return EXIT.ok;
	},
});

/** The arguments that name a price and its plan. */
const PRICE_ARGS = {
	plan: { type: "positional", required: true, valueHint: "id", description: "Plan id" },
	price: { type: "positional", required: true, valueHint: "id", description: "Price id" },
} as const;

interface Which {
	readonly plan: string;
	readonly price: string;
}

const onSale = defineCommand({
	summary: "Put a price on sale again",
	examples: ["svc prices on-sale pln_1 pri_1"],
	args: PRICE_ARGS,
	run: ({ args }, context) => setOnSale(args, true, context),
});

const offSale = defineCommand({
	summary: "Take a price off sale",
	notes: "Those who pay it go on paying it. Undone by: svc prices on-sale",
	examples: ["svc prices off-sale pln_1 pri_1"],
	args: PRICE_ARGS,
	run: ({ args }, context) => setOnSale(args, false, context),
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

async function setOnSale({ plan, price }: Which, onSale: boolean, context: Context): Promise<ExitCode> {
	const { out, process } = context;
	const { app } = await chosenApp(context);
	const options = { signal: process.signal };
	await out.record(PRICE_COLUMNS, await advising(PLAN_ADVICE, () => app.plans.setOnSale(plan, price, onSale, options)));
	return EXIT.ok;
}
