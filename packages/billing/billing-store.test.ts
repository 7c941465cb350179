import { describe, expect, test } from "bun:test";
import { newMail } from "@svc/mail/mail";
import { migratedDatabase, NOW, seedApp } from "@svc/test/support/scratch";
import { payerStore } from "./payers/payers-store.ts";
import { planStore } from "./plans/plans-store.ts";
import { deliveryStore } from "./processor/deliveries-store.ts";
import { simClockStore } from "./simulated/movable-clock-store.ts";
import { type SimObject, simStore } from "./simulated/sim-objects-store.ts";
import { publishedStatusStore } from "./subscriptions/published-statuses-store.ts";
import { subscriptionStore } from "./subscriptions/subscriptions-store.ts";

const TERMS = { graceMs: 0, takesPayments: true, trialMac: async () => new Uint8Array(32) };
const by = { actor: "acc_1", requestId: null, nowMs: NOW };
const authority = { appPk: 1, accountPk: 1, needs: "owner", by } as const;

test("of two changes of one plan, both made of what it was, the second is told that it moved", async () => {
	await using scratch = await migratedDatabase();
	const { app } = await seedApp(scratch.database);
	await scratch.sql("UPDATE apps SET selling = 1");
	const plans = planStore(scratch.database);
	const fields = { name: "Gold", description: "", benefits: [], displayOrder: 0, imagesLimit: null, bytesLimit: null };
	await plans.create({ ...fields, id: "pln_1", key: "gold", appPk: app.pk }, authority);
	const before = await plans.find(app.pk, "pln_1");
	if (!before) throw new Error("The plan is not there.");
	const outcomes = await Promise.all([
		plans.update(before, { ...before, name: "Silver" }, authority),
		plans.update(before, { ...before, description: "of silver" }, authority),
	]);
	expect(outcomes).toEqual([undefined, "moved"]);
	expect(await plans.find(app.pk, "pln_1")).toMatchObject({ name: "Silver", description: "", revision: 2 });
	await scratch.sql("UPDATE apps SET selling = 0");
	expect(await plans.archive(before, authority)).toBe("selling_off");
	await scratch.sql("UPDATE members SET role = 'admin'");
	expect(await plans.archive(before, authority)).toBe("demoted");
});

test("who paid for an App that is deleted is found by its last payer, as long as that account lives", async () => {
	await using scratch = await migratedDatabase();
	const { app } = await seedApp(scratch.database);
	const payers = payerStore(scratch.database, "service", true);
	const accountPk = Number(await scratch.value("SELECT account_pk FROM members"));
	const email = await scratch.value(`SELECT email FROM accounts WHERE pk = ${accountPk}`);
	await scratch.sql("DELETE FROM members");
	expect(await payers.findOwner(app.pk)).toBeUndefined();
	expect(await payers.findFormerOwner(app.pk, accountPk)).toMatchObject({ email, app: { pk: app.pk, name: app.name } });
	await scratch.sql("UPDATE accounts SET status = 'disabled'");
	expect(await payers.findFormerOwner(app.pk, accountPk)).toBeUndefined();
});

test("what the simulated processor knows changes once for each reading, and several things together or not at all", async () => {
	await using scratch = await migratedDatabase();
	const store = simStore(scratch.database);
	const fresh: SimObject = { kind: "checkout", id: "a", revision: 0, dueMs: null, value: { open: true } };
	const made = await Promise.all(Array.from({ length: 20 }, () => store.save([fresh])));
	expect(made.filter(Boolean)).toHaveLength(1);
	const read = await store.find("checkout", "a");
	if (!read) throw new Error("The checkout is not there.");
	const saves = Array.from({ length: 20 }, (_, n) =>
		store.save([
			{ ...fresh, kind: "subscription", id: `s${n}`, dueMs: n },
			{ ...read, value: { open: false } },
		]),
	);
	expect((await Promise.all(saves)).filter(Boolean)).toHaveLength(1);
	expect(await store.listDue("subscription", 100, 100)).toHaveLength(1);
	expect(await store.find("checkout", "a")).toEqual({ ...read, revision: 2, value: { open: false } });
	expect(await store.listDue("checkout", 100, 100)).toEqual([]);
});

test("the clock is raised by the farthest of all, however many raise it at once", async () => {
	await using scratch = await migratedDatabase();
	const clock = simClockStore(scratch.database);
	expect(await clock.read()).toBe(0);
	await Promise.all([5, 9, 7, 1].map((offsetMs) => clock.raise(offsetMs, by)));
	const change = "SELECT count(*) FROM audit WHERE event = 'operator.clock_advanced'";
	const before = await scratch.value(change);
	expect([await clock.read(), await clock.raise(3, by)]).toEqual([9, 9]);
	expect(await scratch.value(change)).toBe(before);
	await clock.raise(11, by);
	expect(await scratch.value(change)).toBe(Number(before) + 1);
});

test("a delivery is taken by one of many that come at once", async () => {
	await using scratch = await migratedDatabase();
	const deliveries = deliveryStore(scratch.database);
	const event = { id: "evt_1", type: "x", subscription: null };
	const taken = await Promise.all(Array.from({ length: 20 }, () => deliveries.take("simulated", event, NOW)));
	expect(taken.filter(Boolean)).toHaveLength(1);
	expect(await deliveries.take("another", event, NOW)).toBe(true);
});

test("an App has no more than 200 plans, archived ones among them", async () => {
	await using scratch = await migratedDatabase();
	const { app } = await seedApp(scratch.database);
	await scratch.sql("UPDATE apps SET selling = 1");
	await scratch.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
		INSERT INTO plans (id, app_pk, key, name, description, benefits, display_order, archived_ms, created_ms)
		SELECT 'pln_' || i, ${app.pk}, 'key' || i, 'Gold', '', '[]', 0, 1, 1 FROM n`);
	const plans = planStore(scratch.database);
	const limits = { imagesLimit: null, bytesLimit: null };
	const fields = { name: "Gold", description: "", benefits: [], displayOrder: 0, ...limits, appPk: app.pk };
	expect(await plans.create({ ...fields, id: "pln_a", key: "a" }, authority)).toBeUndefined();
	expect(await plans.create({ ...fields, id: "pln_b", key: "b" }, authority)).toBe("full");
});

describe("of a user's subscriptions", () => {
	/** One user of an App, who has subscribed twice: `first` has ended, or else the other one. */
	async function subscribedTwice(ended: "first" | "second") {
		const scratch = await migratedDatabase();
		const { app } = await seedApp(scratch.database);
		await scratch.sql(`INSERT INTO connections (id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent, consent_version, created_ms)
			VALUES ('con_1', 'usr_1', ${app.pk}, 1, 1, 'connected', 'a@example.com', 1, 1)`);
		await scratch.sql(`INSERT INTO plans (id, app_pk, key, name, description, benefits, display_order, created_ms)
			VALUES ('pln_1', ${app.pk}, 'gold', 'Gold', '', '[]', 0, 1)`);
		await scratch.sql(`INSERT INTO prices (id, plan_pk, amount, currency, interval, trial_days, on_sale, created_ms)
			VALUES ('prc_1', 1, 500, 'eur', 'month', 0, 1, 1)`);
		for (const [pk, name] of ["first", "second"].entries()) {
			await scratch.sql(`INSERT INTO subscriptions (pk, id, subject, app_pk, connection_pk, price_pk, processor, ref, status,
					period_start_ms, period_end_ms, cancel_at_period_end, started_ms, withdrawn_ms, ended_ms, synced_ms, created_ms)
				VALUES (${pk + 1}, '${name}', 'user', ${app.pk}, 1, 1, 'simulated', '${name}', 'active',
					1, 2, 0, 1, ${name === ended ? "2, 3" : "NULL, NULL"}, 1, ${NOW})`);
		}
		return { scratch, app, store: subscriptionStore(scratch.database, publishedStatusStore(scratch.database, TERMS)) };
	}

	test.each(["first", "second"] as const)("the live one counts, be it that the %s has ended", async (ended) => {
		const { scratch, app, store } = await subscribedTwice(ended);
		await using _ = scratch;
		const live = ended === "first" ? "second" : "first";
		expect((await store.listLatest(app.pk, ["usr_1"])).get("usr_1")?.id).toBe(live);
		expect((await store.findLatest({ subject: "user", appPk: app.pk, connectionPk: 1 }))?.id).toBe(live);
	});

	test("one that was withdrawn from is worked on until it is wholly paid back", async () => {
		const { scratch, store } = await subscribedTwice("first");
		await using _ = scratch;
		await scratch.sql(`INSERT INTO invoices (id, subscription_pk, ref, status, amount_due, amount_paid, amount_refunded, currency, created_ms)
			VALUES ('ivc_1', 1, 'in_1', 'paid', 500, 500, 499, 'eur', 1)`);
		expect((await store.listWithdrawing("simulated", 10)).map(({ id }) => id)).toEqual(["first"]);
		await scratch.sql("UPDATE invoices SET amount_refunded = 500");
		expect(await store.listWithdrawing("simulated", 10)).toEqual([]);
	});

	test("one that has moved since it was read is not warned of", async () => {
		const { scratch, store } = await subscribedTwice("first");
		await using _ = scratch;
		const live = await store.find("second");
		if (!live) throw new Error("The subscription is not there.");
		const mails = "SELECT count(*) FROM emails WHERE template = 'trial_ending'";
		const mail = newMail(
			"trial_ending",
			"a@example.com",
			{ app: "First", plan: "Gold", until: "2026-11-30" },
			"warned",
		);
		await store.warnOfTrialEnd({ ...live, revision: live.revision + 1 }, mail, NOW);
		expect(await scratch.value(mails)).toBe(0);
		await store.warnOfTrialEnd(live, mail, NOW);
		expect(await scratch.value(mails)).toBe(1);
	});
});
