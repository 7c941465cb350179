import { moneyText } from "@svc/base/words/money";
import { local, type Message } from "./text.ts";

interface Money {
	/** In the currency's smallest unit. */
	readonly amount: number;
	readonly currency: string;
}

/** An amount as people of each language write it. */
export function amountText({ amount, currency }: Money): Message {
	return local((locale) => moneyText(amount, currency, locale));
}
