import { describe, expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { migratedDatabase, type Scratch } from "@svc/test/support/scratch";
import { TestClock, TestLog } from "@svc/test/support/service";
import { openFleet } from "./fleet.ts";

/* On a real file, whose database says that others may use it too. Time passes by setting the times of rows back. */

/** That of every process here. */
const KEYRING = { fingerprints: "00000001", noteProcesses: () => undefined };

interface World extends AsyncDisposable {
	readonly scratch: Scratch;
	readonly clock: TestClock;
	readonly log: TestLog;
	open(id: string): Promise<ReturnType<typeof openFleet>>;
	/** As if all rows had been written earlier, and all processes had beaten since without a pause. */
	pass(milliseconds: number, ...silent: string[]): Promise<void>;
	ids(): Promise<unknown>;
}

async function world(): Promise<World> {
	const scratch = await migratedDatabase();
	const shared: Database = { ...scratch.database, kind: "remote" };
	const clock = new TestClock();
	const log = new TestLog();
	return {
		scratch,
		clock,
		log,
		async open(id) {
			const fleet = openFleet(shared, {
				id,
				version: "1",
				clock,
				log,
				meters: { gauge: () => undefined },
				keyring: KEYRING,
			});
			await fleet.beat();
			return fleet;
		},
		async pass(milliseconds, ...silent) {
			await scratch.sql(`UPDATE processes SET steady_ms = steady_ms - ${milliseconds}`);
			const names = silent.map((id) => `'${id}'`).join(", ");
			await scratch.sql(`UPDATE processes SET beat_ms = beat_ms - ${milliseconds} WHERE id IN (${names})`);
		},
		ids: () => scratch.value("SELECT group_concat(id) FROM (SELECT id FROM processes ORDER BY pk)"),
		[Symbol.asyncDispose]: () => scratch[Symbol.asyncDispose](),
	};
}

describe("the processes of one database", () => {
	test("know each other from beat to beat, and the first one leads", async () => {
		await using all = await world();
		const one = await all.open("one");
		const two = await all.open("two");
		expect([one.size(), two.size()]).toEqual([1, 2]);
		await one.beat();
		expect([one.size(), one.leads(), two.leads()]).toEqual([2, true, false]);
		expect((await two.list()).map(({ id, version }) => [id, version])).toEqual([
			["one", "1"],
			["two", "1"],
		]);
	});

	test("find out that one is dead, and the next one leads", async () => {
		await using all = await world();
		await all.open("one");
		const two = await all.open("two");
		await all.pass(5_000, "one");
		await two.beat();
		expect([two.leads(), await all.ids()]).toEqual([false, "one,two"]);
		await all.pass(5_000, "one");
		await two.beat();
		expect([two.leads(), two.size(), await all.ids()]).toEqual([true, 1, "two"]);
		expect(all.log.lines).toContainEqual(expect.objectContaining({ message: "another process is dead" }));
	});

	test("take nobody for dead after a time in which the database answered none of them", async () => {
		await using all = await world();
		const one = await all.open("one");
		const two = await all.open("two");
		await all.pass(60_000, "one", "two");
		await two.beat();
		expect(await all.ids()).toBe("one,two");
		await one.beat();
		await all.pass(60_000);
		await two.beat();
		expect(await all.ids()).toBe("one,two");
	});

	test("have one that was taken for dead back as the last", async () => {
		await using all = await world();
		const one = await all.open("one");
		const two = await all.open("two");
		await all.pass(60_000, "one");
		await two.beat();
		await one.beat();
		await two.beat();
		expect([await all.ids(), one.leads(), two.leads()]).toEqual(["two,one", false, true]);
	});

	test("hand the lead over where one drains, which still lives until it has left", async () => {
		await using all = await world();
		const one = await all.open("one");
		const two = await all.open("two");
		await one.drain();
		await two.beat();
		expect([one.leads(), two.leads(), two.size(), await all.ids()]).toEqual([false, true, 1, "one,two"]);
		await one.leave();
		expect(await all.ids()).toBe("two");
	});

	test("tell each other whether they can use the store", async () => {
		await using all = await world();
		const one = await all.open("one");
		const two = await all.open("two");
		expect(two.canOthersUseBlobs()).toBe(false);
		one.noteBlobs(true);
		await one.beat();
		await two.beat();
		expect(two.canOthersUseBlobs()).toBe(true);
	});

	test("are told once, where there are several, what to start a server with that moves its log while they write", async () => {
		await using all = await world();
		const told = () => all.log.lines.filter(({ message }) => message.includes("can stop writing for good"));
		const one = await all.open("one");
		expect(told()).toHaveLength(0);
		await all.open("two");
		await one.beat();
		// What is there at the start may be dead.
		expect(told()).toHaveLength(0);
		for (let beats = 0; beats < 8; beats++) await one.beat();
		expect(told().map(({ facts }) => JSON.stringify(facts))).toEqual([
			expect.stringContaining("--checkpoint-interval-s 10"),
		]);
	});

	test("a clock that differs by more than seconds is told once", async () => {
		await using all = await world();
		const one = await all.open("one");
		expect(one.isSkewed()).toBe(false);
		all.clock.advance(-60_000);
		await one.beat();
		await one.beat();
		expect(one.isSkewed()).toBe(true);
		expect(all.log.lines.filter(({ message }) => message.includes("clock"))).toHaveLength(1);
		await one.beat();
		const [own] = await one.list();
		expect(Math.abs((own?.skewMs ?? 0) + 60_000)).toBeLessThan(5_000);
	});
});

test("the process of a database file is alone: whoever was there before is gone, and it leads", async () => {
	await using scratch = await migratedDatabase();
	await scratch.sql(
		"INSERT INTO processes (id, version, host, started_ms, beat_ms, steady_ms) VALUES ('old', '1', 'h', 1, 1, 1)",
	);
	const parts = { clock: new TestClock(), log: new TestLog(), meters: { gauge: () => undefined }, keyring: KEYRING };
	const fleet = openFleet(scratch.database, { id: "new", version: "1", ...parts });
	await fleet.beat();
	expect([fleet.leads(), fleet.size()]).toEqual([true, 1]);
	expect((await fleet.list()).map(({ id }) => id)).toEqual(["new"]);
});
