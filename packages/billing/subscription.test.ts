import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { accessOf, grantedPlanOf } from "./subscription.ts";

const DAY_MS = 86_400_000;
const GRACE_MS = 3 * DAY_MS;
const T = Date.UTC(2026, 10, 21);

type Mirror = NonNullable<Parameters<typeof accessOf>[0]>;
const active: Mirror = {
	status: "active",
	trialEndMs: null,
	periodStartMs: T,
	periodEndMs: T + 30 * DAY_MS,
	cancelAtPeriodEnd: false,
	endedMs: null,
};
const trial: Mirror = { ...active, status: "trialing", trialEndMs: T + 7 * DAY_MS, periodEndMs: T + 7 * DAY_MS };
const unpaid: Mirror = { ...active, status: "past_due" };

describe("access", () => {
	test.each([
		["nobody subscribed", undefined, 0, { status: "inactive" }],
		["a trial", trial, 7 * DAY_MS - 1, { status: "trialing", expiresMs: T + 7 * DAY_MS }],
		["a trial that is over and not yet read again", trial, 7 * DAY_MS, { status: "unconfirmed" }],
		["a cancelled trial that is over", { ...trial, cancelAtPeriodEnd: true }, 7 * DAY_MS, { status: "inactive" }],
		["a term", active, 30 * DAY_MS - 1, { status: "active", expiresMs: T + 30 * DAY_MS }],
		["a term that is over and not yet read again", active, 30 * DAY_MS, { status: "unconfirmed" }],
		[
			"a cancelled term",
			{ ...active, cancelAtPeriodEnd: true },
			DAY_MS,
			{ status: "active", expiresMs: T + 30 * DAY_MS },
		],
		["a cancelled term that is over", { ...active, cancelAtPeriodEnd: true }, 30 * DAY_MS, { status: "inactive" }],
		["a renewal that failed", unpaid, GRACE_MS - 1, { status: "grace", expiresMs: T + GRACE_MS }],
		["a renewal that failed three days ago", unpaid, GRACE_MS, { status: "inactive" }],
		["one that has ended", { ...active, status: "canceled", endedMs: T }, 1, { status: "inactive" }],
		["a state that is not known here", { ...active, status: "paused" }, 1, { status: "inactive" }],
	] as const)("%s", (_, mirror, afterMs, expected) => {
		expect(accessOf(mirror, T + afterMs, GRACE_MS)).toEqual(expected);
	});

	const mirrors: fc.Arbitrary<Mirror> = fc
		.record({
			status: fc.constantFrom("trialing", "active", "past_due", "canceled", "incomplete", "unpaid", "paused", ""),
			trialEndMs: fc.option(fc.integer({ min: T, max: T + 60 * DAY_MS })),
			periodStartMs: fc.integer({ min: T, max: T + 30 * DAY_MS }),
			length: fc.integer({ min: 1, max: 366 * DAY_MS }),
			cancelAtPeriodEnd: fc.boolean(),
			endedMs: fc.option(fc.integer({ min: T, max: T + 60 * DAY_MS })),
		})
		.map(({ length, ...mirror }) => ({ ...mirror, periodEndMs: mirror.periodStartMs + length }));
	const moments = fc.integer({ min: T, max: T + 500 * DAY_MS });

	const lasting = ["inactive", "unconfirmed"];

	test("of one reading is never given back by time alone", () => {
		fc.assert(
			fc.property(mirrors, moments, fc.nat(400 * DAY_MS), (mirror, now, laterMs) => {
				const { status } = accessOf(mirror, now, GRACE_MS);
				const later = accessOf(mirror, now + laterMs, GRACE_MS);
				if (lasting.includes(status)) expect(later).toEqual(accessOf(mirror, now, GRACE_MS));
				if (mirror.endedMs !== null) expect(status).toBe("inactive");
			}),
		);
	});

	test("of one reading ends when it says", () => {
		fc.assert(
			fc.property(mirrors, moments, (mirror, now) => {
				const access = accessOf(mirror, now, GRACE_MS);
				if (!("expiresMs" in access)) return;
				expect(accessOf(mirror, access.expiresMs - 1, GRACE_MS)).toEqual(access);
				expect(lasting).toContain(accessOf(mirror, access.expiresMs, GRACE_MS).status);
			}),
		);
	});

	test("an App has its paid plan exactly while there is access", () => {
		fc.assert(
			fc.property(mirrors, moments, (mirror, now) => {
				const granted = grantedPlanOf(mirror, "pro", now, GRACE_MS);
				expect(granted === "free").toBe(accessOf(mirror, now, GRACE_MS).status === "inactive");
			}),
		);
	});
});
