import { describe, expect, test } from "bun:test";
import { openPurgeReceiver } from "@svc/test/support/purges";
import { addProcess, migratedDatabase, PROCESS, type Scratch } from "@svc/test/support/scratch";
import { TestLog } from "@svc/test/support/service";
import { purgeStore } from "./purges-store.ts";
import type { Purging } from "./room.ts";
import { purgeSender } from "./sender.ts";
import type { PurgeTarget } from "./target.ts";

/* The database and the receiver are real; only the clock is moved. */

const DAY_S = 86_400;

async function world(target: Partial<PurgeTarget> = {}, path = "/purge") {
	const scratch = await migratedDatabase();
	const receiver = await openPurgeReceiver();
	const purges = purgeStore(scratch.database, PROCESS);
	await purges.turn(true);
	const time = { nowMs: Date.now() };
	const log = new TestLog();
	const counts = { failures: 0 };
	const to: PurgeTarget = { kind: "http", url: receiver.origin.url(path), token: "hush", method: "POST", ...target };
	const room = {
		target: to,
		purges,
		log,
		machineClock: { now: () => time.nowMs },
		meters: {
			count(_name: string, _labels: object, by = 1) {
				counts.failures += by;
			},
		},
	} as unknown as Purging;
	return {
		...{ scratch, receiver, purges, time, log, counts, room },
		sender: purgeSender(room),
		another: () => purgeSender({ ...room, purges: purgeStore(scratch.database, "another") }),
		async [Symbol.asyncDispose]() {
			await receiver[Symbol.asyncDispose]();
			await scratch[Symbol.asyncDispose]();
		},
	};
}

async function add({ sql }: Scratch, tags: readonly string[], ageSeconds = 0): Promise<void> {
	const rows = tags.map((tag) => `('${tag}', (unixepoch() - ${ageSeconds}) * 1000)`);
	await sql(`INSERT INTO waiting_purges (tag, created_ms) VALUES ${rows.join(", ")}`);
}

const names = (count: number) => Array.from({ length: count }, (_, place) => `img_${String(place).padStart(4, "0")}`);

describe("what waits goes together, in the form that each cache takes", () => {
	test.each([
		["cloudflare", 250, [100, 100, 50], "authorization", "Bearer hush"],
		["fastly", 600, [256, 256, 88], "fastly-key", "hush"],
		["http", 250, [100, 100, 50], "authorization", "Bearer hush"],
	] as const)("%s", async (kind, count, sizes, header, value) => {
		await using all = await world({ kind });
		await add(all.scratch, names(count));
		await all.sender.look();
		expect(all.receiver.calls.map(({ tags }) => tags.length)).toEqual([...sizes]);
		expect(all.receiver.taken()).toEqual(names(count));
		for (const { method, path, headers } of all.receiver.calls) {
			expect([method, path, headers[header], headers["content-type"]]).toEqual([
				"POST",
				"/purge",
				value,
				"application/json",
			]);
		}
		expect(await all.purges.count()).toBe(0);
	});

	test.each(["PURGE", "DELETE", "GET", "POST"] as const)("%s of an address for each tag", async (method) => {
		await using all = await world({ method, token: undefined }, "/of/{tag}");
		await add(all.scratch, names(40));
		await all.sender.look();
		expect(all.receiver.taken()).toEqual(names(40));
		for (const call of all.receiver.calls) {
			expect([call.method, call.path, call.headers.authorization]).toEqual([method, `/of/${call.tags[0]}`, undefined]);
		}
		expect(await all.purges.count()).toBe(0);
	});

	test("a tag that waits often is sent once", async () => {
		await using all = await world();
		await add(all.scratch, [...names(3), ...names(3), ...names(3)]);
		await all.sender.look();
		expect(all.receiver.calls.map(({ tags }) => tags)).toEqual([names(3)]);
		expect(await all.purges.count()).toBe(0);
	});

	test("a tag that is written again while it is sent is sent again", async () => {
		await using all = await world();
		await add(all.scratch, ["img_1"]);
		all.receiver.answer = ({ tags }) => {
			if (all.receiver.calls.length === 1) void add(all.scratch, tags);
			return { status: 200 };
		};
		await all.sender.look();
		await all.sender.look();
		expect(all.receiver.calls).toHaveLength(2);
		expect(await all.purges.count()).toBe(0);
	});
});

describe("a cache that does not take it", () => {
	test.each([
		["says that it cannot", { status: 500 }],
		["says nothing that is known", { status: 302, headers: { Location: "/elsewhere" } }],
		["does not know us", { status: 401 }],
		["cuts the connection", { status: 0 }],
	])("%s: it is asked again later, and not before", async (_, answer) => {
		await using all = await world();
		await add(all.scratch, names(150));
		all.receiver.answer = () => answer;
		await all.sender.look();
		await all.sender.look();
		expect(all.receiver.calls).toHaveLength(1);
		expect(all.counts.failures).toBe(1);
		expect(all.log.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
		expect(JSON.stringify(all.log.lines)).not.toContain("hush");
		all.receiver.answer = () => ({ status: 200 });
		all.time.nowMs += 60_000;
		await all.sender.look();
		expect(all.receiver.taken()).toEqual(names(150));
		expect(await all.purges.count()).toBe(0);
	});

	test("is asked less and less often, and every minute at least", async () => {
		await using all = await world();
		await add(all.scratch, ["img_1"]);
		all.receiver.answer = () => ({ status: 503 });
		const startMs = all.time.nowMs;
		const asked: number[] = [];
		for (; all.time.nowMs < startMs + 600_000; all.time.nowMs += 1_000) {
			const before = all.receiver.calls.length;
			await all.sender.look();
			if (all.receiver.calls.length > before) asked.push((all.time.nowMs - startMs) / 1_000);
		}
		expect(asked.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
		expect(asked.length).toBeGreaterThanOrEqual(15);
	});

	test.each([
		{ how: "in seconds", seconds: 30, told: (_: number) => "30" },
		{ how: "as a date", seconds: 3_599, told: (nowMs: number) => new Date(nowMs + 3_600_000).toUTCString() },
	])(
		"and says with 429 when it will, $how, is left in peace until then, by all processes",
		async ({ seconds, told }) => {
			await using all = await world();
			await add(all.scratch, ["img_1"]);
			const headers = { "Retry-After": told(all.time.nowMs) };
			all.receiver.answer = () => ({ status: 429, headers });
			await all.sender.look();
			await add(all.scratch, ["img_2"]);
			all.time.nowMs += (seconds - 1) * 1_000;
			await Promise.all([all.sender.look(), all.another().look()]);
			expect(all.receiver.calls).toHaveLength(1);
			all.receiver.answer = () => ({ status: 200 });
			all.time.nowMs += 12_000;
			await all.another().look();
			expect(all.receiver.taken()).toEqual(["img_1", "img_2"]);
		},
	);

	test("of one tag keeps none of the others waiting", async () => {
		await using all = await world({ method: "PURGE" }, "/{tag}");
		await add(all.scratch, names(100));
		all.receiver.answer = ({ tags }) => ({ status: tags[0] === "img_0003" ? 400 : 200 });
		for (let look = 0; look < 5; look++) {
			await all.sender.look();
			all.time.nowMs += 1_000;
		}
		expect(all.receiver.taken()).toHaveLength(99);
		expect(await all.purges.count()).toBe(1);
	});

	test("for a day is asked no more, and the log names what it may show", async () => {
		await using all = await world();
		await add(all.scratch, ["img_old"], DAY_S + 10);
		await add(all.scratch, ["img_young"], DAY_S - 10);
		all.receiver.answer = () => ({ status: 500 });
		await all.sender.look();
		expect(all.log.lines.find(({ level }) => level === "error")?.facts).toMatchObject({ tags: 1, some: ["img_old"] });
		expect(await all.purges.count()).toBe(1);
	});
});

describe("several processes", () => {
	test("send each tag once", async () => {
		await using all = await world();
		await add(all.scratch, names(1_000));
		await Promise.all([all.sender.look(), all.another().look(), all.another().look()]);
		expect(all.receiver.taken()).toEqual(names(1_000));
		expect(all.receiver.calls).toHaveLength(10);
	});

	test("take over at once from one that is known to be dead, and after its lease from any", async () => {
		await using all = await world();
		await addProcess(all.scratch);
		await add(all.scratch, ["img_1"]);
		const { nowMs } = all.time;
		expect(await all.purges.take("dead", { nowMs, leaseMs: nowMs + 30_000 })).toBe(true);
		await all.another().look();
		expect(all.receiver.calls).toHaveLength(0);
		await all.scratch.sql(`DELETE FROM processes WHERE id = '${PROCESS}'`);
		await all.another().look();
		expect(all.receiver.taken()).toEqual(["img_1"]);
	});

	test("that lost its claim changes nothing any more", async () => {
		await using all = await world();
		await add(all.scratch, ["img_1"]);
		all.receiver.answer = () => {
			void all.scratch.sql("UPDATE purge_target SET claim = 'another'");
			return { status: 200 };
		};
		await all.sender.look();
		expect(await all.purges.count()).toBe(1);
	});
});

test("a sender that stops cuts what is on its way, and what was not answered is sent by the next", async () => {
	await using all = await world();
	await add(all.scratch, ["img_1"]);
	all.receiver.answer = () => undefined;
	const looking = all.sender.look();
	while (all.receiver.calls.length === 0) await Bun.sleep(5);
	const startMs = performance.now();
	await all.sender.stop();
	await looking;
	expect(performance.now() - startMs).toBeLessThan(2_000);
	expect(all.counts.failures).toBe(0);
	all.receiver.answer = () => ({ status: 200 });
	await all.another().look();
	expect(all.receiver.taken()).toEqual(["img_1"]);
});

test("turned off, what waited is gone, and nothing is written any more", async () => {
	await using all = await world();
	await add(all.scratch, ["img_1"]);
	await all.purges.turn(false);
	expect([await all.purges.count(), await all.purges.state()]).toEqual([0, undefined]);
	await all.sender.look();
	expect(all.receiver.calls).toHaveLength(0);
});
