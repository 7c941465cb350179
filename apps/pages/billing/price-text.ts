import type { Interval, TaxBehavior } from "@svc/base/enumerations";
import { amountText } from "../kit/parts.tsx";
import type { Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/** What is paid, how often, and whether tax is in it. */
export function priceText(
	price: Parameters<typeof amountText>[0] & { readonly interval: Interval },
	taxBehavior: TaxBehavior | null,
): Message {
	return t("price", { amount: amountText(price), interval: price.interval, tax: taxBehavior ?? "none" });
}
