import { expect, test } from "bun:test";
import { amountText, priceText } from "./plan.ts";

test("a price is shown as people write it [tui.money.text]", () => {
	expect(priceText({ amount: 499, currency: "usd", interval: "month" })).toBe("$4.99 a month");
	expect(priceText({ amount: 500, currency: "jpy", interval: "year" })).toBe("¥500 a year");
});

test("an amount in a currency that nobody knows is shown all the same [tui.money.unknown]", () => {
	expect(amountText(1_250, "points")).toBe("12.5 points");
});
