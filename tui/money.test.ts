import { expect, test } from "bun:test";
import { amountText, minorUnits, priceText } from "./money.ts";

test("an amount is read in the currency's own smallest unit, without rounding [tui.money.read]", () => {
	expect([
		minorUnits("4.99", "usd"),
		minorUnits("4,9", "eur"),
		minorUnits("500", "jpy"),
		minorUnits("1.005", "kwd"),
	]).toEqual([499, 490, 500, 1005]);
	expect(minorUnits("8.29", "usd")).toBe(829);
});

test("what is no amount of the currency is said, and never guessed [tui.money.refused]", () => {
	for (const text of ["", "-1", "4.", "$5", "1e3", "1.2.3"]) expect(minorUnits(text, "usd")).toContain("is an amount");
	expect(minorUnits("4.999", "usd")).toBe("has at most 2 digits behind the point");
	expect(minorUnits("4.5", "jpy")).toBe("has at most 0 digits behind the point");
});

test("a price is shown as people write it [tui.money.text]", () => {
	expect(priceText({ amount: 499, currency: "usd", interval: "month" })).toBe("$4.99 a month");
	expect(priceText({ amount: 500, currency: "jpy", interval: "year" })).toBe("¥500 a year");
});

test("an amount in a currency that nobody knows is shown all the same [tui.money.unknown]", () => {
	expect(amountText(1_250, "points")).toBe("12.5 points");
});
