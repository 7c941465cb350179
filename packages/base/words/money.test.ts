import { expect, test } from "bun:test";
import { decimalsOf, moneyText } from "./money.ts";

test("an amount is written in the places of its currency: none in yen, three in dinars, two where nobody knows it", () => {
	expect(["jpy", "kwd", "usd", "zzz", "a coin"].map(decimalsOf)).toEqual([0, 3, 2, 2, 2]);
	expect(moneyText(499, "usd", "en")).toBe("$4.99");
	expect(moneyText(499, "jpy", "en")).toBe("¥499");
	expect(moneyText(4990, "kwd", "en").replace("\u00a0", " ")).toBe("KWD 4.990");
	expect(moneyText(499, "a coin", "en")).toBe("4.99 a coin");
});
