import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { RUNTIME_ENVIRONMENT } from "@svc/base/processes/runtime-environment";
import { WORKER_OWNER } from "@svc/test/support/worker-owner";
import { DEAD_FIXTURE, type Misdeed, WORKER_FIXTURE } from "@svc/test/support/worker-program";
import { processAlive, until } from "@svc/test/support/workers";
import { FairLine } from "../fair-line.ts";
import type { Wish } from "../line.ts";
import type { Order } from "../orders.ts";
import { openPool, type Pool, type PoolOptions, TIME_LIMITS } from "./pool.ts";

const MIB = 1_024 ** 2;
const pools: Pool[] = [];

interface Options extends Partial<Omit<PoolOptions, "limits">> {
	readonly limits?: Partial<PoolOptions["limits"]>;
}

function pool({ workers = 2, limits, ...options }: Options = {}): Pool {
	const line = new FairLine({
		places: workers,
		bytes: 8_192 * MIB,
		waiting: 1_000,
		clock: { now: () => performance.now() },
		after(ms, work) {
			const timer = setTimeout(work, ms);
			return () => clearTimeout(timer);
		},
	});
	const made = openPool({
		workers,
		line,
		limits: { ...TIME_LIMITS, memoryBytes: 8_192 * MIB, ...limits },
		program: WORKER_FIXTURE,
		...options,
	});
	pools.push(made);
	return made;
}

afterEach(() => {
	for (const made of pools.splice(0)) made.close();
});

const DEFAULT: Wish = { lane: "cheap", price: { bytes: 10 * MIB, cpuMs: 1 }, signal: new AbortController().signal };

/** Has a worker do something; what comes back is whatever it says. */
async function told(made: Pool, deed: Misdeed, id: string | number = "", wish: Partial<Wish> = {}): Promise<unknown> {
	const master = { path: `${deed} ${id}`, bytes: 0, format: "png", width: 1, height: 1 } as const;
	const order: Order<"strip"> = { kind: "strip", master, out: "" };
	return await made.do<"strip">(order, { ...DEFAULT, ...wish });
}

async function lost(work: Promise<unknown>): Promise<unknown> {
	return await work.catch(({ name, reason, deaths }) => ({ name, reason, deaths }));
}

describe("what a worker has", () => {
	test("its environment is how it is to run and to use memory, and nothing of the service's", async () => {
		process.env.SVC_BOOTSTRAP_SECRET = "a secret of twenty letters";
		const names = String(await told(pool(), "environment"))
			.split("\0")
			.map((entry) => entry.split("=")[0]);
		delete process.env.SVC_BOOTSTRAP_SECRET;
		expect(names.filter((name) => name !== "").sort()).toEqual([
			...Object.keys(RUNTIME_ENVIRONMENT),
			"GLIBC_TUNABLES",
			"MALLOC_ARENA_MAX",
			"MALLOC_MMAP_THRESHOLD_",
			"MALLOC_TRIM_THRESHOLD_",
			"NODE_ENV",
			"UV_THREADPOOL_SIZE",
		]);
	});

	test("the kernel takes it before the service", async () => {
		expect(await told(pool(), "oom")).toBe(1_000);
	});

	test("where there are more of them than cores, the one for dear work lets the others go first", async () => {
		const yielding = pool({ yielding: true });
		expect(await told(yielding, "nice", "", { lane: "dear" })).toBe(10);
		expect(await told(yielding, "nice")).toBe(getPriority());
	});

	test("bytes and answers go there and back", async () => {
		const made = pool();
		const all = Array.from({ length: 50 }, (_, id) => told(made, "echo", id));
		expect(await Promise.all(all)).toEqual(Array.from({ length: 50 }, (_, id) => String(id)));
	});
});

describe("a worker that is lost", () => {
	test("costs its own order a second try, and the others nothing", async () => {
		await using dir = await mkdtempDisposable(join(tmpdir(), "svc-pool-"));
		const made = pool();
		const others = Array.from({ length: 20 }, (_, id) => told(made, "echo", id));
		expect(await told(made, "die-once", join(dir.path, "died"))).toBe("lived");
		expect(await Promise.all(others)).toHaveLength(20);
	});

	test("twice by one order ends the order, and says why", async () => {
		const made = pool();
		const dying = lost(told(made, "die"));
		expect(await told(made, "echo", 1)).toBe("1");
		expect(await dying).toEqual({ name: "WorkerLost", reason: "crash", deaths: 2 });
		expect(await told(made, "echo", 2)).toBe("2");
	});

	test("from outside while it idles is not missed", async () => {
		const made = pool({ workers: 1 });
		const pid = Number(await told(made, "pid"));
		process.kill(pid, "SIGKILL");
		expect(await told(made, "pid")).not.toBe(pid);
	});

	test("has said something else than our program does", async () => {
		expect(await lost(told(pool(), "babble"))).toMatchObject({ reason: "crash", deaths: 2 });
	});

	test("is there again by itself where they are started ahead", async () => {
		const made = pool();
		made.start();
		const [first = 0, second = 0] = made.pids;
		process.kill(first, "SIGKILL");
		await until(() => made.pids.length === 2 && !made.pids.includes(first));
		expect(made.pids).toContain(second);
	});
});

describe("an order that goes beyond a limit is ended", () => {
	test("processor time, which is not given twice", async () => {
		const made = pool({ limits: { cpuMs: 300 } });
		expect(await lost(told(made, "spin"))).toEqual({ name: "WorkerLost", reason: "cpu", deaths: 1 });
		expect(await told(made, "echo", 1)).toBe("1");
	});

	test("no processor time at all: stopped, or stuck", async () => {
		const made = pool({ limits: { stuckMs: 500 } });
		expect(await lost(told(made, "stop"))).toEqual({ name: "WorkerLost", reason: "stuck", deaths: 2 });
	});

	test("time by the clock on the wall", async () => {
		const made = pool({ limits: { wallMs: 500 } });
		expect(await lost(told(made, "wait", 60_000))).toEqual({ name: "WorkerLost", reason: "wall", deaths: 2 });
	});

	test("memory, half as much again as was admitted", async () => {
		const made = pool();
		expect(await lost(told(made, "eat"))).toEqual({ name: "WorkerLost", reason: "memory", deaths: 2 });
		const wish = { price: { bytes: 400 * MIB, cpuMs: 1 } };
		expect(await told(made, "keep", 300 * MIB, wish)).toBeNumber();
	});

	test("memory of all together, and the one that takes most goes", async () => {
		const made = pool({ limits: { memoryBytes: 300 * MIB } });
		const waiting = told(made, "wait", 3_000, { price: { bytes: 10 * MIB, cpuMs: 1 } });
		const eating = lost(told(made, "eat", "", { lane: "dear", price: { bytes: 280 * MIB, cpuMs: 1 } }));
		expect(await eating).toMatchObject({ reason: "memory" });
		expect(await waiting).toBeUndefined();
	});
});

test("a worker that idles with much memory is replaced", async () => {
	const made = pool({ workers: 1 });
	const pid = Number(await told(made, "keep", 300 * MIB, { price: { bytes: 400 * MIB, cpuMs: 1 } }));
	await until(() => !processAlive(pid));
	expect(await told(made, "pid")).not.toBe(pid);
});

describe("workers that have had no order for a while", () => {
	test("end, but for the first one, which is replaced where it has grown", async () => {
		const made = pool({ workers: 2, restMs: 100 });
		made.start();
		const grown = Number(await told(made, "keep", 120 * MIB, { price: { bytes: 200 * MIB, cpuMs: 1 } }));
		const [first = 0, second = 0] = made.pids;
		expect(first).toBe(grown);
		expect(await told(made, "pid", "", { lane: "dear" })).toBe(second);
		await until(() => !processAlive(first) && !processAlive(second));
		await until(() => made.pids.length === 1);
		const fresh = await told(made, "pid");
		expect([first, second]).not.toContain(Number(fresh));
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(await told(made, "pid")).toBe(fresh);
	});

	test("are there again with the orders that need them", async () => {
		const made = pool({ workers: 2, restMs: 50 });
		made.start();
		await told(made, "pid", "", { lane: "dear" });
		await until(() => made.pids.length === 1);
		const [one, other] = await Promise.all([told(made, "pid", "", { lane: "dear" }), told(made, "pid")]);
		expect(one).not.toBe(other);
	});
});

test("an error comes back as it was thrown, and its worker goes: nobody knows what it left behind", async () => {
	const made = pool({ workers: 1 });
	const pid = await told(made, "pid");
	const error = await told(made, "throw").catch((thrown: unknown) => thrown);
	expect(error).toMatchObject({ name: "TypeError", message: "no good", cause: { message: "really" } });
	expect((error as Error).stack).toContain("worker-program.ts");
	expect(await told(made, "pid")).not.toBe(pid);
});

describe("an order that finds out that it takes more than was admitted", () => {
	const grown = (made: Pool, ...mebibytes: readonly number[]) =>
		told(made, "grow", mebibytes.map((one) => one * MIB).join());

	test("has it in another turn: once by its header, and once more for what it finds behind that", async () => {
		const made = pool({ workers: 1 });
		expect(await grown(made, 20)).toBe(20 * MIB);
		expect(await grown(made, 20, 30)).toBe(30 * MIB);
	});

	test("is given up when it goes on asking", async () => {
		const asking = grown(pool({ workers: 1 }), 20, 30, 40);
		expect(await asking.catch((error: Error) => error.message)).toContain("asks for more");
	});
});

describe("an order that nobody waits for any more", () => {
	test("is ended when it is dear", async () => {
		const made = pool();
		const leaver = new AbortController();
		const spinning = told(made, "spin", "", { lane: "dear", signal: leaver.signal }).catch((reason) => reason);
		await until(() => made.pids.length === 1);
		setTimeout(() => leaver.abort("left"), 300);
		expect(await spinning).toBe("left");
		expect(await told(made, "echo", 1, { lane: "dear" })).toBe("1");
	});

	test("is finished when it is cheap", async () => {
		const made = pool({ workers: 1 });
		const pid = await told(made, "pid");
		const leaver = new AbortController();
		const waiting = told(made, "wait", 300, { signal: leaver.signal });
		setTimeout(() => leaver.abort("left"), 50);
		expect(await waiting).toBeUndefined();
		expect(await told(made, "pid")).toBe(Number(pid));
	});
});

test("the first worker is kept for what is quick", async () => {
	const made = pool();
	made.start();
	const [first] = made.pids;
	const dear = Array.from({ length: 8 }, (_, at) => told(made, "pid", "", { lane: at % 2 ? "dear" : "background" }));
	const pids = new Set(await Promise.all(dear));
	expect(pids.size).toBe(1);
	expect(pids.has(first)).toBe(false);
	const spinning = lost(told(made, "wait", 1_000, { lane: "dear" }));
	expect(await told(made, "pid")).toBe(Number(first));
	await spinning;
});

test("a program that cannot run is started less and less often, and orders are answered all the same", async () => {
	const deaths: string[] = [];
	const made = pool({ program: DEAD_FIXTURE });
	const log = { warn: () => undefined };
	made.attach({
		log,
		meters: { gauge: () => undefined, count: (_, labels) => void deaths.push(labels?.reason ?? "") },
	});
	made.start();
	await until(() => deaths.length >= 5);
	await new Promise((resolve) => setTimeout(resolve, 2_500));
	// At once they would be a hundred by now.
	expect(deaths.length).toBeLessThan(20);
	const refused = await told(made, "echo").catch((error: Error) => error);
	expect(["WorkerLost", "Failure"]).toContain((refused as Error).name);
}, 60_000);

describe("workers end with their service", () => {
	async function owner(...args: string[]) {
		const child = Bun.spawn([process.execPath, WORKER_OWNER, ...args], { stdout: "pipe" });
		const { value } = await child.stdout.getReader().read();
		return { child, pids: JSON.parse(Buffer.from(value ?? []).toString()) as number[] };
	}

	test("killed with -9, also one that is busy and one that is stopped", async () => {
		const { child, pids } = await owner();
		expect(pids).toHaveLength(2);
		process.kill(pids[1] ?? 0, "SIGSTOP");
		child.kill("SIGKILL");
		await until(() => !pids.some(processAlive));
	});

	test("and idle ones do not keep it from ending", async () => {
		const { child, pids } = await owner("idle");
		expect(await child.exited).toBe(0);
		await until(() => !pids.some(processAlive));
	});
});
