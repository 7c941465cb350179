import { expect, test } from "bun:test";
import { migratedDatabase, NOW, seedApp } from "@svc/test/support/scratch";
import { planStore } from "./plans-store.ts";
import { simClockStore } from "./simulated/sim-clock-store.ts";
import { type SimObject, simStore } from "./simulated/sim-objects-store.ts";
import { subscriptionStore } from "./subscriptions-store.ts";

const by = { actor: "acc_1", requestId: null, nowMs: NOW };
const authority = { appPk: 1, accountPk: 1, needs: "owner", by } as const;

test("of two changes of one plan, both made of what it was, the second is told that it moved", async () => {
	await using scratch = await migratedDatabase();
	const { app } = await seedApp(scratch.database);
	await scratch.sql("UPDATE apps SET selling = 1");
	const plans = planStore(scratch.database);
	const fields = { name: "Gold", description: "", benefits: [], displayOrder: 0 };
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
	const store = subscriptionStore(scratch.database);
	const event = { id: "evt_1", type: "x", subscription: null };
	const taken = await Promise.all(Array.from({ length: 20 }, () => store.takeEvent("simulated", event, NOW)));
	expect(taken.filter(Boolean)).toHaveLength(1);
	expect(await store.takeEvent("another", event, NOW)).toBe(true);
});
