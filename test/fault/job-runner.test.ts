import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { JobFailure } from "@svc/base/failure";
import type { Ticker } from "@svc/base/ports";
import { JOB_LEASE_MS, type JobHandlers, newJob } from "@svc/jobs/jobs";
import { endJobLeases, jobEntry, leaseStep } from "@svc/jobs/jobs-store";
import { type JobRunner, jobRunner } from "@svc/jobs/runner";
import { sql } from "drizzle-orm";
import { type OpenService, openService } from "../support/service.ts";

/* The runner on a real database, with handlers, a clock and chance of the test's own. */

let service: OpenService;
beforeEach(async () => {
	service = await openService();
});
afterEach(() => service.close());

const never = async () => {
	throw new Error("nobody asked for this kind");
};
const NOTHING: JobHandlers = {
	"storage.empty": never,
	"account.delete": never,
	"app.delete": never,
	"account.export": never,
	app_export: never,
	"image.process": never,
	import: never,
	image_job: never,
	"trash.collect": never,
	reconcile: never,
	"backup.make": never,
	"webhook.recover": never,
	"billing.deed": never,
};

/** Beats when the test says so. */
class TestTicker implements Ticker {
	readonly #works = new Set<() => Promise<void>>();

	every(_milliseconds: number, work: () => Promise<void>): () => void {
		this.#works.add(work);
		return () => this.#works.delete(work);
	}

	async beat(): Promise<void> {
		for (const work of [...this.#works]) await work();
	}
}

function runnerOf(reconcile: JobHandlers["reconcile"], ticker: Ticker = new TestTicker()): JobRunner {
	return jobRunner({
		jobs: service.rooms.jobs.store,
		handlers: { ...NOTHING, reconcile },
		clock: service.clock,
		ticker,
		log: service.log,
		meters: service.rooms.meters,
		yieldToRequests: () => Bun.sleep(0),
		chance: () => 1,
	});
}

async function enqueue(count = 1): Promise<string[]> {
	const made = Array.from({ length: count }, () => newJob("reconcile", {}));
	await service.database.write(made.map((job) => ({ run: jobEntry(job, service.clock.now()) })));
	return made.map(({ id }) => id);
}

const jobOf = async (id = "") => service.rooms.jobs.store.find(id);
const value = async (query: ReturnType<typeof sql>) =>
	(await service.database.read(() => service.database.queries.values(query)))[0]?.[0];

/** A promise that the test settles. */
function gate() {
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { opened, open };
}

describe("a job that fails", () => {
	test("is tried eight times with growing waits, then has failed in words that tell nothing of the inside", async () => {
		const [id] = await enqueue();
		let tries = 0;
		const runner = runnerOf(async () => {
			tries += 1;
			throw new Error("SELECT secret FROM somewhere");
		});
		for (const waitMs of [1_000, 4_000, 16_000, 64_000, 256_000, 600_000, 600_000]) {
			expect(await runner.drain()).toBe(1);
			expect(await jobOf(id)).toMatchObject({ state: "queued", failure: null });
			service.clock.advance(waitMs - 500);
			expect(await runner.drain()).toBe(0);
			service.clock.advance(501);
		}
		expect(await runner.drain()).toBe(1);
		expect(tries).toBe(8);
		const failed = await jobOf(id);
		expect(failed).toMatchObject({ state: "failed", endedMs: expect.any(Number) });
		expect(failed?.failure).not.toContain("SELECT");
		service.clock.advance(86_400_000);
		expect(await runner.drain()).toBe(0);
	});

	test("for a reason that stays is not tried again, and says the reason", async () => {
		const [id] = await enqueue();
		const runner = runnerOf(async () => {
			throw new JobFailure("There is an App.");
		});
		expect(await runner.drain()).toBe(1);
		expect(await jobOf(id)).toMatchObject({ state: "failed", failure: "There is an App." });
	});

	test("has all its tries before it again once it gets further", async () => {
		const [id] = await enqueue();
		let tries = 0;
		const runner = runnerOf(async ({ job }) => {
			tries += 1;
			if (tries % 5 === 0) {
				await service.database.write([leaseStep({ lease: job.lease, done: 1, nowMs: service.clock.now() })]);
			}
			if (tries < 20) throw new Error("again");
			return { tries };
		});
		for (let round = 0; round < 20; round++) {
			await runner.drain();
			service.clock.advance(600_001);
		}
		expect(await jobOf(id)).toMatchObject({ state: "done", done: 4, result: { tries: 20 } });
	});

	test("by taking its process with it, again and again, has failed in the end", async () => {
		const [id] = await enqueue();
		for (let crash = 0; crash < 8; crash++) {
			expect(
				await service.rooms.jobs.store.claim(`dead ${crash}`, service.clock.now() + 1, service.clock.now()),
			).toBeDefined();
			service.clock.advance(2);
		}
		await runnerOf(async () => undefined).drain();
		expect(await jobOf(id)).toMatchObject({ state: "failed" });
	});
});

describe("the lease", () => {
	test("keeps others away until it ends; then another worker goes on", async () => {
		const [id] = await enqueue();
		const now = service.clock.now();
		expect(await service.rooms.jobs.store.claim("dead", now + JOB_LEASE_MS, now)).toBeDefined();
		const runner = runnerOf(async () => undefined);
		expect(await runner.drain()).toBe(0);
		service.clock.advance(JOB_LEASE_MS + 1);
		expect(await runner.drain()).toBe(1);
		expect(await jobOf(id)).toMatchObject({ state: "done" });
	});

	test("of a dead owner ends with the start of the next one", async () => {
		const [id] = await enqueue();
		await service.rooms.jobs.store.claim("dead", service.clock.now() + JOB_LEASE_MS, service.clock.now());
		await endJobLeases(service.database, service.clock.now());
		expect(await runnerOf(async () => undefined).drain()).toBe(1);
		expect(await jobOf(id)).toMatchObject({ state: "done" });
	});

	test("is renewed by a beat for as long as a worker works, however long that is", async () => {
		const [id] = await enqueue();
		const [begun, { opened, open }] = [gate(), gate()];
		const ticker = new TestTicker();
		const slow = runnerOf(() => {
			begun.open();
			return opened;
		}, ticker);
		const draining = slow.drain();
		// Others can read that it is claimed before its worker knows.
		await begun.opened;
		const other = runnerOf(never);
		for (let beat = 0; beat < 10; beat++) {
			service.clock.advance(JOB_LEASE_MS - 1_000);
			await ticker.beat();
			expect(await other.drain()).toBe(0);
		}
		open();
		await draining;
		expect(await jobOf(id)).toMatchObject({ state: "done" });
	});

	test("once lost, nothing that its worker still does is written", async () => {
		const [id] = await enqueue();
		const { opened, open } = gate();
		const refusals: unknown[] = [];
		const slow = runnerOf(async ({ job, yieldToRequests }) => {
			await opened;
			const step = leaseStep({ lease: job.lease, done: 5, nowMs: service.clock.now() });
			refusals.push((await service.database.write([step, { run: sql`UPDATE apps SET name = 'stolen'` }])).refused);
			refusals.push(await service.rooms.jobs.store.finish(job.lease, { by: "the slow one" }, service.clock.now()));
			await yieldToRequests();
			return { by: "the slow one" };
		});
		const draining = slow.drain();
		while ((await jobOf(id))?.state !== "running") await Bun.sleep(1);
		service.clock.advance(JOB_LEASE_MS + 1);
		await runnerOf(async () => ({ by: "the other one" })).drain();
		open();
		await draining;
		expect(refusals).toEqual(["lost", false]);
		expect(await jobOf(id)).toMatchObject({ state: "done", done: 0, result: { by: "the other one" } });
		expect(await value(sql`SELECT count(*) FROM apps WHERE name = 'stolen'`)).toBe(0);
	});

	test("is given back by a worker that has to stop, and the try does not count", async () => {
		const [id] = await enqueue();
		let steps = 0;
		const runner = runnerOf(async ({ yieldToRequests }) => {
			for (;;) {
				steps += 1;
				await yieldToRequests();
			}
		});
		const draining = runner.drain();
		while (steps < 3) await Bun.sleep(1);
		await runner.stop();
		await draining;
		expect(await jobOf(id)).toMatchObject({ state: "queued" });
		expect(await value(sql`SELECT attempts FROM jobs WHERE id = ${id}`)).toBe(0);
		expect(await runner.drain()).toBe(0);
		expect(await runnerOf(async () => undefined).drain()).toBe(1);
	});
});

describe("several workers", () => {
	test("share what is due on one database, and none does what another one did", async () => {
		const ids = await enqueue(60);
		const done = new Map<string, number>();
		const shares = [0, 0, 0];
		let most = 0;
		const runners = shares.map((_, place) => {
			let busy = 0;
			return runnerOf(async ({ job, yieldToRequests }) => {
				busy += 1;
				most = Math.max(most, busy);
				done.set(job.id, (done.get(job.id) ?? 0) + 1);
				shares[place] = (shares[place] ?? 0) + 1;
				// Until one of them does two beside each other, as each may.
				while (most < 2) await Bun.sleep(1);
				await yieldToRequests();
				busy -= 1;
			});
		});
		const taken = await Promise.all(runners.map((runner) => runner.drain()));
		expect(taken.reduce((sum, count) => sum + count, 0)).toBe(60);
		expect([...done.values()]).toEqual(ids.map(() => 1));
		expect(Math.min(...shares)).toBeGreaterThan(0);
		expect(most).toBe(2);
		expect(await value(sql`SELECT count(*) FROM jobs WHERE state = 'done'`)).toBe(60);
	});

	test("do nothing to the database while nothing is due", async () => {
		const { changes } = service.database;
		const before = changes?.now();
		const ticker = new TestTicker();
		const runner = runnerOf(never, ticker);
		runner.start();
		for (let poll = 0; poll < 20; poll++) await ticker.beat();
		await runner.stop();
		expect(changes?.now()).toBe(before);
	});
});

test("a runner that was started takes what is due at a wake, and at a poll without one", async () => {
	const ticker = new TestTicker();
	const runner = runnerOf(async () => undefined, ticker);
	runner.start();
	const [woken] = await enqueue();
	runner.wake();
	while ((await jobOf(woken))?.state !== "done") await Bun.sleep(1);
	const [polled] = await enqueue();
	await ticker.beat();
	while ((await jobOf(polled))?.state !== "done") await Bun.sleep(1);
	await runner.stop();
	const [late] = await enqueue();
	await ticker.beat();
	expect(await jobOf(late)).toMatchObject({ state: "queued" });
});

test("a database that does not answer costs a look, not the runner", async () => {
	let broken = true;
	const jobs = service.rooms.jobs.store;
	const ticker = new TestTicker();
	const runner = jobRunner({
		jobs: { ...jobs, isDue: (nowMs) => (broken ? Promise.reject(new Error("away")) : jobs.isDue(nowMs)) },
		handlers: { ...NOTHING, reconcile: async () => undefined },
		clock: service.clock,
		ticker,
		log: service.log,
		meters: service.rooms.meters,
		yieldToRequests: () => Bun.sleep(0),
		chance: () => 0,
	});
	const [id] = await enqueue();
	runner.start();
	await ticker.beat();
	expect(await jobOf(id)).toMatchObject({ state: "queued" });
	broken = false;
	await ticker.beat();
	while ((await jobOf(id))?.state !== "done") await Bun.sleep(1);
	await runner.stop();
});
