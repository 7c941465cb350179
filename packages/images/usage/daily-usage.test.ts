import { expect, test } from "bun:test";
import { DatabaseError } from "@svc/base/database-error";
import { migratedDatabase, NOW, seedApp } from "@svc/test/support/scratch";
import { DailyCounters, dayOf, parseDay } from "./daily-usage.ts";
import { dailyUsageStore } from "./daily-usage-store.ts";

const DAY_MS = 86_400_000;
const clock = { now: () => NOW };
const days = { from: dayOf(NOW) - 1, to: dayOf(NOW) + 2 };

test("three processes that count the same storage add up", async () => {
	await using scratch = await migratedDatabase();
	const { storage, app } = await seedApp(scratch.database);
	const { add, byDay } = dailyUsageStore(scratch.database);
	const processes = [1, 2, 3].map(() => new DailyCounters(clock, add));
	for (const [place, counters] of processes.entries()) {
		for (let answer = 0; answer <= place; answer++) counters.countServed(storage.pk, 100);
		counters.countRequest(storage.pk);
		counters.countRendition(storage.pk);
		// A storage that is gone by the time of the write.
		counters.countServed(999, 1);
	}
	await Promise.all(processes.map((counters) => counters.flush()));
	await Promise.all(processes.map((counters) => counters.flush()));
	const wanted = { day: dayOf(NOW), uploads: 0, requests: 3, imageRequests: 6, bytesServed: 600, renditions: 3 };
	expect(await byDay({ storagePk: storage.pk }, days)).toMatchObject([wanted]);
	expect(await byDay({ appPk: app.pk }, days)).toMatchObject([wanted]);
});

test("what is counted before midnight belongs to the day that ends", async () => {
	let nowMs = (dayOf(NOW) + 1) * DAY_MS - 1;
	const written: unknown[] = [];
	const counters = new DailyCounters({ now: () => nowMs }, async (day, counts) => {
		written.push([day, counts.map(([pk, { requests }]) => [pk, requests])]);
	});
	counters.countRequest(7);
	nowMs += 1;
	counters.countRequest(7);
	counters.countRequest(7);
	await counters.flush();
	expect(written).toEqual([
		[dayOf(NOW), [[7, 1]]],
		[dayOf(NOW) + 1, [[7, 2]]],
	]);
});

test("what surely was not written is written later, and what may have been is not counted twice", async () => {
	let outcome: "no" | "unknown" | undefined;
	let requests = 0;
	const counters = new DailyCounters(clock, async (_, counts) => {
		if (outcome) throw new DatabaseError("UNKNOWN", outcome, undefined);
		for (const [, served] of counts) requests += served.requests;
	});
	outcome = "no";
	counters.countRequest(1);
	await expect(counters.flush()).rejects.toThrow(DatabaseError);
	outcome = "unknown";
	counters.countRequest(2);
	await counters.flush().catch(() => undefined);
	outcome = undefined;
	counters.countRequest(1);
	await counters.flush();
	expect(requests).toBe(1);
});

test("a date is a day that there is", () => {
	expect(parseDay("1970-01-02")).toBe(1);
	expect(["2026-02-30", "2026-2-03", "", "2026-13-01"].map(parseDay)).toEqual([
		undefined,
		undefined,
		undefined,
		undefined,
	]);
});
