import { expect, test } from "bun:test";
import { decimalsOf, minorUnits, moneyText } from "./money.ts";

test("an amount is written in the places of its currency: none in yen, three in dinars, two where nobody knows it", () => {
	expect(["jpy", "kwd", "usd", "zzz", "a coin"].map(decimalsOf)).toEqual([0, 3, 2, 2, 2]);
	expect(moneyText(499, "usd", "en")).toBe("$4.99");
	expect(moneyText(499, "jpy", "en")).toBe("¥499");
	expect(moneyText(4990, "kwd", "en").replace("\u00a0", " ")).toBe("KWD 4.990");
	expect(moneyText(499, "a coin", "en")).toBe("4.99 a coin");
});

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
