import { describe, expect, test } from "bun:test";
import { TAX_BEHAVIORS } from "@svc/base/enumerations";
import { AMOUNT_MAX, stepOf } from "../plans/currencies.ts";
import { taxed } from "./tax.ts";

/* The tax of the simulated processor, over what can be charged at all. */

const CURRENCIES = ["usd", "eur", "jpy", "kwd", "tnd", "huf", "clp"];
const ways = CURRENCIES.flatMap((currency) =>
	[undefined, ...TAX_BEHAVIORS].map((behavior) => [currency, behavior ?? "untaxed", behavior ?? null] as const),
);
const sum = (lines: readonly { readonly amount: number }[]) => lines.reduce((total, { amount }) => total + amount, 0);
const line = (amount: number) => ({ description: "Silver", quantity: 1, amount, periodStartMs: 0, periodEndMs: 1 });

/** Small ones, large ones, and those between, each as it can be charged in the currency; the same for everybody who runs this. */
function* amounts(step: number): Generator<readonly number[]> {
	let state = 20_261_122;
	const next = (max: number) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return state % max;
	};
	for (let amount = 0; amount <= 400; amount++) yield [amount * step];
	for (const amount of [AMOUNT_MAX - (AMOUNT_MAX % step), 99_999_990, 12_345_670]) yield [amount];
	for (let tries = 0; tries < 2_000; tries++) {
		const large = next(9_999_999) * step;
		yield [-next(9_999_999) * step, large];
		yield [-next(500) * step, next(500) * step, next(500) * step];
	}
}

describe("the simulated processor's tax", () => {
	test.each(ways)(
		"in %s, %s: lines add up to the subtotal, subtotal and tax to the total, all of it chargeable",
		(currency, _, behavior) => {
			const step = stepOf(currency);
			for (const each of amounts(step)) {
				const { lines, subtotal, tax, total } = taxed(each.map(line), behavior, currency);
				const gross = each.reduce((all, amount) => all + amount, 0);
				const found = {
					lines: sum(lines),
					whole: subtotal + tax,
					steps: [subtotal, tax, total].map((n) => n % step || 0),
				};
				expect({ each, ...found }).toEqual({ each, lines: subtotal, whole: total, steps: [0, 0, 0] });
				expect(behavior === "exclusive" ? subtotal : total).toBe(gross);
				// Never further from the exact tax than half of what can be charged.
				const exact = behavior === null ? 0 : behavior === "exclusive" ? gross / 5 : gross / 6;
				expect(Math.abs(tax - exact)).toBeLessThanOrEqual(step / 2 + 1e-6);
			}
		},
	);

	test("what is given back has the tax of what was charged", () => {
		for (const behavior of TAX_BEHAVIORS) {
			for (let amount = 1; amount <= 1_000; amount++) {
				const [there, back] = [amount, -amount].map((one) => taxed([line(one)], behavior, "usd"));
				expect([back?.subtotal, back?.tax, back?.total]).toEqual([
					-(there?.subtotal ?? 0),
					-(there?.tax ?? 0) || 0,
					-(there?.total ?? 0),
				]);
			}
		}
	});
});
