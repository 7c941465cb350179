import { describe, expect, test } from "bun:test";
import { decimalsOf } from "@svc/base/words/money";
import { CURRENCY_RULE, currencyFault, isCurrency, refuseAmount } from "./currencies.ts";

const SUPPORTED = Intl.supportedValuesOf("currency").map((code) => code.toLowerCase());

test("funds, metals, test codes and currencies that were withdrawn are none", () => {
	const others =
		"xxx xts xau xag xpt xpd xdr xsu xua xba xbb xbc xbd clf uyi uyw mxv cou bov usn che chw dem frf bgn hrk ang vef byr " +
		// Counted otherwise by processors.
		"isk mga ugx";
	for (const code of [...others.split(" "), "", "USD", "us", "usdd", "zzz"])
		expect([code, isCurrency(code)]).toEqual([code, false]);
});

test("one that is in circulation and counted otherwise by processors is refused for that", () => {
	for (const code of ["isk", "mga", "ugx"]) {
		expect(currencyFault(code)).toStartWith(`cannot be ${code}: payment processors count it in other units`);
	}
	for (const code of ["xau", "bgn", "USD", "zzz"]) expect(currencyFault(code)).toBe(CURRENCY_RULE);
});

test("every one that there is can be written by Intl, and its least amount can be charged", () => {
	const there = SUPPORTED.filter(isCurrency);
	expect(there.length).toBeGreaterThan(150);
	const all = "usd eur gbp jpy chf kwd tnd vnd xof xcg zwg";
	for (const code of all.split(" ")) expect([code, isCurrency(code)]).toEqual([code, true]);
	for (const code of there) expect(() => refuseAmount({ amount: 99_999_990, currency: code })).not.toThrow();
});

describe("an amount", () => {
	test.each([
		["usd", 49, 50],
		["gbp", 29, 30],
		["jpy", 49, 50],
		["huf", 17_499, 17_500],
		["kwd", 150, 160],
	])("in %s is refused at %d, and taken at %d", (currency, low, least) => {
		expect(() => refuseAmount({ amount: low, currency })).toThrow();
		expect(() => refuseAmount({ amount: least, currency })).not.toThrow();
	});

	test("goes in steps of ten where a currency has three decimals", () => {
		for (const currency of ["bhd", "iqd", "jod", "kwd", "lyd", "omr", "tnd"]) {
			expect(decimalsOf(currency)).toBe(3);
			expect(() => refuseAmount({ amount: 9_999_991, currency })).toThrow();
			expect(() => refuseAmount({ amount: 9_999_990, currency })).not.toThrow();
		}
	});
});
