import type { TaxBehavior } from "@svc/base/enumerations";
import type { PlanPrice } from "@svc/billing/plans/plan";
import { amountText } from "../kit/money.ts";
import type { Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/** What is paid, how often, and whether tax is in it. */
export function priceText(
	price: Pick<PlanPrice, "amount" | "currency" | "interval">,
	taxBehavior: TaxBehavior | null,
): Message {
	return t("price", { amount: amountText(price), interval: price.interval, tax: taxBehavior ?? "none" });
}
