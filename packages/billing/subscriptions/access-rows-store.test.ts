import { expect, test } from "bun:test";
import { DISPUTE_STATES } from "@svc/base/enumerations";
import { migratedDatabase, seedApp } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { accessOf } from "../subscription.ts";
import { accessRows } from "./access-rows-store.ts";

/* Access is judged in TypeScript, and in SQL where a change is committed. */

const CASES = 10_000;
const GRACE_MS = 3;

/** Of so few moments many are the same one: that is where the rules differ. */
const moment = fc.integer({ min: 0, max: 9 });

/** Each of these alone ends all access, so that most have none of them. */
const seldom = <T>(drawn: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: drawn });

const MIRRORS = fc.record({
	nowMs: moment,
	status: fc.constantFrom("active", "trialing", "past_due", "canceled", "incomplete", "paused", "unpaid"),
	trialEndMs: fc.option(moment, { nil: null }),
	periodStartMs: moment,
	periodEndMs: moment,
	cancelAtPeriodEnd: fc.boolean(),
	graceUntilMs: fc.option(moment, { nil: null }),
	withdrawnMs: seldom(moment),
	endedMs: seldom(moment),
	dispute: seldom(fc.constantFrom(...DISPUTE_STATES)),
});

test("of 10,000 subscriptions and moments SQL and TypeScript say the same: what access there is, and until when", async () => {
	const seed = Number(process.env.SVC_TEST_SEED ?? 38);
	const mirrors = fc.sample(MIRRORS, { numRuns: CASES, seed });
	await using scratch = await migratedDatabase();
	await seedApp(scratch.database);
	const drawn = sql`FROM (SELECT key + 1 AS pk, value FROM json_each(${JSON.stringify(mirrors)})) AS drawn`;
	const of = (name: string) => sql`drawn.value ->> ${name}`;
	await scratch.database.write([
		{
			run: sql`INSERT INTO accounts (pk, id, email, email_norm, status, created_ms)
				SELECT 10 + drawn.pk, 'acc_' || (10 + drawn.pk), drawn.pk || '@x', drawn.pk || '@x', 'active', 0 ${drawn}`,
		},
		{
			// The moment that is asked about stands in the row: one query judges all of them.
			run: sql`INSERT INTO connections (pk, id, user_id, app_pk, account_pk, state, email_at_consent, consent_version, created_ms)
				SELECT drawn.pk, 'req_' || drawn.pk, 'usr_' || drawn.pk, 1, 10 + drawn.pk, 'gone', '', 1, ${of("nowMs")} ${drawn}`,
		},
		{
			run: sql`INSERT INTO plans (pk, id, app_pk, key, name, description, benefits, display_order, created_ms)
				VALUES (1, 'pln_1', 1, 'gold', 'Gold', '', '[]', 0, 0)`,
		},
		{
			run: sql`INSERT INTO prices (pk, id, plan_pk, amount, currency, interval, trial_days, on_sale, created_ms)
				VALUES (1, 'pri_1', 1, 500, 'usd', 'month', 0, 1, 0)`,
		},
		{
			run: sql`INSERT INTO subscriptions (id, subject, app_pk, connection_pk, price_pk, processor, ref, status, trial_end_ms, period_start_ms,
					period_end_ms, cancel_at_period_end, grace_until_ms, withdrawn_ms, ended_ms, dispute_state, started_ms, synced_ms, created_ms)
				SELECT 'sub_' || drawn.pk, 'user', 1, drawn.pk, 1, 'p', drawn.pk, ${of("status")}, ${of("trialEndMs")}, ${of("periodStartMs")},
					${of("periodEndMs")}, ${of("cancelAtPeriodEnd")}, ${of("graceUntilMs")}, ${of("withdrawnMs")}, ${of("endedMs")},
					${of("dispute")}, 0, 0, 0 ${drawn}`,
		},
	]);
	const nowMs = sql`person.created_ms`;
	const rows = accessRows(sql`1`, GRACE_MS, { paidAtMs: nowMs, givenAtMs: nowMs });
	const bySql = await scratch.database.read(() =>
		scratch.database.queries.values<[string, number | null]>(
			sql`SELECT paid, iif(paid = 'inactive', NULL, paid_until_ms) FROM (${rows}) ORDER BY connection_pk`,
		),
	);
	const differing = mirrors.filter((mirror, place) => {
		const [paid, untilMs] = bySql[place] ?? [];
		const [status, expiresMs] = judged(mirror);
		return paid !== status || untilMs !== expiresMs;
	});
	expect(bySql).toHaveLength(CASES);
	expect(differing).toEqual([]);
	expect(new Set(bySql.map(([paid]) => paid))).toEqual(new Set(["inactive", "grace", "active", "trialing"]));
});

/** What is not confirmed yet counts on, and is told as the processor said it last. */
function judged({ nowMs, dispute, ...mirror }: typeof MIRRORS extends fc.Arbitrary<infer One> ? One : never) {
	const lost = dispute === null ? null : { state: dispute, amount: 1, atMs: 0 };
	const access = accessOf({ ...mirror, dispute: lost }, nowMs, GRACE_MS);
	if (access.status === "inactive") return ["inactive", null] as const;
	if (access.status !== "unconfirmed") return [access.status, access.expiresMs] as const;
	const { status, trialEndMs, periodEndMs } = mirror;
	return [status, status === "trialing" ? (trialEndMs ?? periodEndMs) : periodEndMs] as const;
}
