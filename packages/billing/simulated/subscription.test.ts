import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { change } from "./changes.ts";
import { afterIntervals } from "./intervals.ts";
import type { SimPrice, SimSubscription } from "./state.ts";
import * as sim from "./subscription.ts";

const START = Date.UTC(2026, 0, 31, 10);
const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

const silver: SimPrice = { ref: "s", amount: 500, currency: "usd", interval: "month", title: "Silver" };
const gold: SimPrice = { ...silver, ref: "g", amount: 1_500, title: "Gold" };
const yearly: SimPrice = { ...silver, ref: "y", amount: 5_000, interval: "year" };
const prices = [silver, gold, yearly];

function begun(trialDays = 0, price = silver): SimSubscription {
	return sim.begin({ ref: "sub", customer: "c", checkout: "chk", price, trialDays, outcome: "pay" }, START);
}

describe("afterIntervals", () => {
	test("keeps the anchor's day where the month has it", () => {
		const days = [1, 2, 3, 12, 13].map((count) => iso(afterIntervals(START, "month", count)).slice(0, 10));
		expect(days).toEqual(["2026-02-28", "2026-03-31", "2026-04-30", "2027-01-31", "2027-02-28"]);
		expect(iso(afterIntervals(Date.UTC(2028, 1, 29), "year", 1)).slice(0, 10)).toBe("2029-02-28");
		expect(iso(afterIntervals(Date.UTC(2028, 1, 29), "year", 4)).slice(0, 10)).toBe("2032-02-29");
	});

	test("always later, and at the same time of day", () => {
		const moments = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
		fc.assert(
			fc.property(moments, fc.constantFrom("month" as const, "year" as const), fc.nat(300), (ms, interval, count) => {
				const [one, next] = [afterIntervals(ms, interval, count), afterIntervals(ms, interval, count + 1)];
				expect(next - one).toBeGreaterThanOrEqual(28 * DAY_MS);
				expect(next % DAY_MS).toBe(ms % DAY_MS);
			}),
		);
	});
});

test("another interval begins with its payment, less the rest of the old one", () => {
	const middle = START + 14 * DAY_MS;
	const switched = change(begun(), yearly, "when_paid", middle);
	expect(iso(switched.periodEndMs)).toBe(iso(afterIntervals(middle, "year", 1)));
	expect(switched.invoices.map(({ amountPaid }) => amountPaid)).toEqual([500, 4_750]);
});

test("a refund that is held back comes with a later withdrawal, once", () => {
	const change = sim.tell(begun(), "refund_later", START + 1);
	const first = sim.withdraw(change, START + 2);
	expect(first.invoices[0]).toMatchObject({ amountPaid: 500, amountRefunded: 0 });
	expect(sim.withdraw(first, START + 3).invoices[0]?.amountRefunded).toBe(0);
	expect(sim.withdraw(first, START + 3_600_002).invoices[0]?.amountRefunded).toBe(500);
});

describe("whatever happens in whatever order", () => {
	type Step = (sub: SimSubscription, nowMs: number) => SimSubscription;
	const steps: fc.Arbitrary<Step> = fc.oneof(
		fc.constantFrom<Step>(
			(sub, now) => sim.cancel(sub, "period_end", now),
			(sub, now) => sim.cancel(sub, "now", now),
			(sub) => sim.resume(sub),
			(sub, now) => sim.withdraw(sub, now),
		),
		fc.tuple(fc.constantFrom(...prices), fc.constantFrom("when_paid" as const, "renewal" as const)).map(
			([price, when]): Step =>
				(sub, now) =>
					change(sub, price, when, now),
		),
		fc.constantFrom("pay" as const, "decline" as const, "bank_confirmation" as const, "silent" as const).map(
			(outcome): Step =>
				(sub, now) =>
					sim.tell(sub, outcome, now),
		),
	);
	const schedule = fc.array(fc.tuple(steps, fc.nat(50 * DAY_MS)), { maxLength: 15 });

	function expectSound(sub: SimSubscription): void {
		for (const one of sub.invoices) {
			expect(one.amountDue).toBeGreaterThanOrEqual(0);
			expect(one.amountPaid).toBe(one.status === "paid" ? one.amountDue : 0);
			expect([0, one.amountPaid]).toContain(one.amountRefunded);
		}
		const open = sub.invoices.filter(({ status }) => status === "open").length;
		expect(open).toBeLessThanOrEqual(sub.endedMs === null ? 2 : 0);
		expect(sub.periodEndMs).toBeGreaterThan(sub.periodStartMs);
		expect(sub.status === "canceled").toBe(sub.endedMs !== null);
		if (sub.status === "trialing") expect(sub.periodEndMs).toBe(sub.trialEndMs ?? 0);
	}

	test("money adds up, an end is final, and a trial ends when it was to", () => {
		fc.assert(
			fc.property(fc.constantFrom(0, 7, 40), fc.constantFrom(...prices), schedule, (trialDays, price, run) => {
				const first = begun(trialDays, price);
				let [now, sub] = [START, first];
				for (const [step, pauseMs] of run) {
					now += pauseMs;
					const before = sim.settle(sub, now);
					sub = step(before, now);
					expectSound(sub);
					expect(sub.trialEndMs).toBe(first.trialEndMs);
					expect(sub.endedMs).toBe(before.endedMs ?? sub.endedMs);
				}
			}),
			{ numRuns: 2_000 },
		);
	});

	test("how often it is looked at makes no difference", () => {
		fc.assert(
			fc.property(
				fc.constantFrom(0, 7),
				fc.constantFrom("pay" as const, "decline" as const),
				fc.nat(900),
				(trial, outcome, days) => {
					const sub = { ...begun(trial), outcome };
					let often: SimSubscription = sub;
					for (let day = 0; day <= days; day++) often = sim.settle(often, START + day * DAY_MS);
					expect(often).toEqual(sim.settle(sub, START + days * DAY_MS));
				},
			),
		);
	});
});
