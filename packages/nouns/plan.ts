import { moneyText, plainMoney } from "@svc/base/words/money";
import type { ManagedPlan, ManagedPrice } from "@svc/sdk/shapes";
import { limitWords, userLimitsText } from "./app.ts";
import { noun } from "./noun.ts";

export const PLAN = noun<ManagedPlan>()({
	fields: {
		id: {},
		key: { title: "Key", width: 16 },
		name: { shrinks: true, title: "Name" },
		order: { value: ({ display_order: order }) => order },
		state: {
			value: ({ archived_at: at }) => (at === null ? "active" : "archived"),
			title: "State",
			width: 11,
			cell: ({ archived_at: at }) => (at === null ? "○ on sale" : "⛒ archived"),
		},
		prices: {
			value: ({ prices }) => prices.map(saleText).join("; "),
			shrinks: true,
			title: "Prices",
			width: 6,
			cell: ({ prices }) => String(prices.length),
		},
		on_sale: {
			value: ({ prices }) =>
				prices
					.filter((price) => price.on_sale)
					.map(priceText)
					.join(", "),
			title: "On sale for",
			width: 48,
			more: true,
		},
		description: { label: "about" },
		benefits: { value: ({ benefits }) => benefits.join("; ") },
		created_at: { kind: "time", label: "made" },
		limits: {
			value: ({ limits }) => limitWords(limits),
			label: "keeps",
			line: ({ limits }) => userLimitsText(limits),
		},
	},
	list: ["id", "key", "name", "order", "state", "prices"],
	detail: ["description", "benefits", "created_at", "limits"],
	dashboard: {
		title: "Plan",
		empty: "This App has no plan. c makes one, as svc plans create does.",
		columns: ["state", "key", "name", "prices", "on_sale"],
		lines: ["id", "key", "name", "description", "benefits", "limits", "created_at"],
		more: ({ prices }) => [
			{
				title: `Prices: ${prices.length}`,
				rows: prices.map((price): [string, string] => [
					price.on_sale ? "on sale" : "withdrawn",
					`${priceText(price)}${trialText(price)}`,
				]),
			},
		],
	},
});

const trialText = ({ trial_days: days }: Pick<ManagedPrice, "trial_days">) => (days > 0 ? `, ${days} days free` : "");

/** A price for people who look at it: `$4.99 a month`. */
export function priceText(price: Pick<ManagedPrice, "amount" | "currency" | "interval">): string {
	return `${amountText(price.amount, price.currency)} a ${price.interval}`;
}

export const amountText = (amount: number, currency: string): string => moneyText(amount, currency, "en");

/** A price in words that scripts can take apart, as `4.99 usd a month, 7 days free (off sale)`. */
export function saleText(price: ManagedPrice): string {
	const { amount, currency, interval, on_sale: onSale } = price;
	return `${plainMoney(amount, currency)} a ${interval}${trialText(price)}${onSale ? "" : " (off sale)"}`;
}
