import type { TaxBehavior } from "@svc/base/enumerations";
import { moneyText } from "@svc/base/words/money";
import type { PlanPrice } from "@svc/billing/plans/plan";
import { local, type Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/** An amount in the smallest unit of its currency, as people of each language write it. */
export function amountText({ amount, currency }: Pick<PlanPrice, "amount" | "currency">): Message {
	return local((locale) => moneyText(amount, currency, locale));
}

/** What is paid, how often, and whether tax is in it. */
export function priceText(
	price: Pick<PlanPrice, "amount" | "currency" | "interval">,
	taxBehavior: TaxBehavior | null,
): Message {
	return t("price", { amount: amountText(price), interval: price.interval, tax: taxBehavior ?? "none" });
}
