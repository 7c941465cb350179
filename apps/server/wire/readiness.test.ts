import { expect, test } from "bun:test";
import { readinessOf } from "./readiness.ts";

/** A part whose probes end when the test says so. */
function heldPart() {
	const waiting: { resolve: () => void; reject: (cause: Error) => void }[] = [];
	let begun = 0;
	return {
		probe() {
			begun++;
			return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
		},
		begun: () => begun,
		answer: () => waiting.shift()?.resolve(),
		fail: () => waiting.shift()?.reject(new Error("it broke")),
	};
}

const quick = { probe: () => Promise.resolve() };

function open(parts: Partial<Parameters<typeof readinessOf>[0]>) {
	let nowMs = 1_000_000;
	const clock = { now: () => nowMs };
	const logged: string[] = [];
	const write = (message: string) => void logged.push(message);
	const log = { debug: write, info: write, warn: write, error: write };
	const advance = (milliseconds: number) => {
		nowMs += milliseconds;
	};
	return {
		advance,
		logged,
		...readinessOf({
			database: quick,
			blobs: quick,
			blobsShared: false,
			mailState: async () => "ok",
			billingState: async () => "ok",
			isDatabaseDamaged: () => false,
			isStoreTaken: () => false,
			canOthersUseBlobs: () => false,
			noteBlobs: () => undefined,
			isClockOff: () => undefined,
			durability: () => undefined,
			longestWaitSeconds: () => 0,
			secretState: () => "ok",
			clock,
			log,
			...parts,
		}),
	};
}

test("requests that wait for more than a second are told, and are no reason to go elsewhere", async () => {
	let waited = 1;
	const { check, advance } = open({ longestWaitSeconds: () => waited });
	expect((await check()).checks.requests).toBeUndefined();
	waited = 1.1;
	advance(1_000);
	expect(await check()).toMatchObject({ ready: true, checks: { requests: "failing" } });
});

test("however many ask, it is tried once a second, and all have the same answer", async () => {
	let tries = 0;
	const database = { probe: () => Promise.resolve(void tries++) };
	const { check, advance } = open({ database });
	const answers = await Promise.all(Array.from({ length: 200 }, () => check()));
	expect(tries).toBe(1);
	expect(new Set(answers).size).toBe(1);
	expect(answers[0]).toEqual({ ready: true, checks: { database: "ok", blobs: "ok", mail: "ok", billing: "ok" } });
	advance(1_000);
	await Promise.all([check(), check()]);
	expect(tries).toBe(2);
	// A clock that is set back does not keep an answer for ever.
	advance(-3_600_000);
	await check();
	expect(tries).toBe(3);
});

test("a part that fails is named, and asked again", async () => {
	const blobs = heldPart();
	const { check, advance, logged } = open({ blobs });
	const first = check();
	blobs.fail();
	expect(await first).toEqual({ ready: false, checks: { database: "ok", blobs: "failed", mail: "ok", billing: "ok" } });
	expect(logged).toEqual(["a readiness probe failed", "the store of pictures cannot be used; what needs none goes on"]);
	advance(1_000);
	const second = check();
	blobs.answer();
	expect((await second).ready).toBe(true);
});

test("what is late is not ready, and no second try is begun beside the first", async () => {
	const database = heldPart();
	const { check, advance } = open({ database });
	expect(await check()).toEqual({
		ready: false,
		checks: { database: "failed", blobs: "ok", mail: "ok", billing: "ok" },
	});
	advance(1_000);
	const again = check();
	expect(database.begun()).toBe(1);
	database.answer();
	expect((await again).ready).toBe(true);
});

test("a shared store that was well a short time ago may be slow, but not for ever", async () => {
	const blobs = heldPart();
	const { check, advance } = open({ blobs, blobsShared: true });
	const first = check();
	blobs.answer();
	expect((await first).ready).toBe(true);
	advance(10_000);
	expect(await check()).toEqual({ ready: true, checks: { database: "ok", blobs: "slow", mail: "ok", billing: "ok" } });
	advance(60_000);
	expect(await check()).toEqual({
		ready: true,
		checks: { database: "ok", blobs: "failed", mail: "ok", billing: "ok" },
	});
	blobs.answer();
});

test("a bucket that another process can use takes this one out, once they have heard of each other", async () => {
	let works = true;
	const told: boolean[] = [];
	const blobs = { probe: () => (works ? Promise.resolve() : Promise.reject(new Error("it broke"))) };
	const others = { canOthersUseBlobs: () => true, noteBlobs: (work: boolean) => void told.push(work) };
	const { check, advance } = open({ blobs, blobsShared: true, ...others });
	const readyAfter = async (milliseconds: number) => {
		advance(milliseconds);
		return (await check()).ready;
	};
	expect(await readyAfter(0)).toBe(true);
	works = false;
	expect([await readyAfter(1_000), await readyAfter(9_000), await readyAfter(1_000)]).toEqual([true, true, false]);
	works = true;
	expect(await readyAfter(1_000)).toBe(true);
	expect(told).toEqual([true, false, false, false, true]);
});

test("a bucket that none can use takes none out, and one that another service has taken does", async () => {
	const broken = { blobs: { probe: () => Promise.reject(new Error("it broke")) }, blobsShared: true };
	const { check, advance } = open(broken);
	await check();
	advance(3_600_000);
	expect(await check()).toMatchObject({ ready: true, checks: { blobs: "failed" } });
	expect((await open({ ...broken, isStoreTaken: () => true }).check()).ready).toBe(false);
});

test("a clock that is off is told and takes nothing out", async () => {
	expect(await open({ isClockOff: () => true }).check()).toMatchObject({ ready: true, checks: { clocks: "failing" } });
	expect((await open({ isClockOff: () => false }).check()).checks).toMatchObject({ clocks: "ok" });
});

test("a store that never answered is not slow but failed, shared or not", async () => {
	const { check } = open({ blobs: heldPart(), blobsShared: false });
	expect(await check()).toEqual({
		ready: false,
		checks: { database: "ok", blobs: "failed", mail: "ok", billing: "ok" },
	});
});

test("draining shows at once, whatever was answered a moment ago", async () => {
	const { check, drain } = open({});
	expect((await check()).ready).toBe(true);
	drain();
	expect(await check()).toEqual({ ready: false, checks: { service: "draining" } });
});
