import { describe, expect, test } from "bun:test";
import { migratedDatabase, NOW, type Scratch } from "@svc/test/support/scratch";
import { type SQL, sql } from "drizzle-orm";
import { newJob } from "./jobs.ts";
import { jobEntry, jobStore } from "./jobs-store.ts";

const BY = { actor: "acc_1", requestId: null, nowMs: NOW };

async function planOf({ database }: Scratch, query: SQL): Promise<string> {
	const rows = await database.read(() => database.queries.values<unknown[]>(sql`EXPLAIN QUERY PLAN ${query}`));
	return rows.map((row) => row.at(-1)).join("\n");
}

describe("enqueueing", () => {
	test("of one dedupe one job is under way, and the next one may come once it has ended", async () => {
		await using scratch = await migratedDatabase();
		const jobs = jobStore(scratch.database, "me");
		const make = () => jobs.enqueue(newJob("reconcile", {}, { dedupe: "same" }), BY);
		const first = await make();
		expect((await make()).id).toBe(first.id);
		expect(await jobs.claim("c", NOW + 1, NOW)).toBeDefined();
		expect((await make()).id).toBe(first.id);
		await jobs.finish({ jobId: first.id, claim: "c" }, { drifts: [] }, NOW);
		expect((await make()).id).not.toBe(first.id);
		expect(await jobs.find(first.id)).toMatchObject({ state: "done", result: { drifts: [] } });
	});

	test("a failed job is not retried beside another one that does its work", async () => {
		await using scratch = await migratedDatabase();
		const jobs = jobStore(scratch.database, "me");
		const failed = await jobs.enqueue(newJob("reconcile", {}, { dedupe: "same" }), BY);
		await jobs.claim("c", NOW + 1, NOW);
		await jobs.fail({ jobId: failed.id, claim: "c" }, "because", NOW);
		await jobs.enqueue(newJob("reconcile", {}, { dedupe: "same" }), BY);
		expect(await jobs.retry(failed.id, BY)).toBe(false);
		expect(await jobs.find(failed.id)).toMatchObject({ state: "failed", failure: "because" });
	});
});

describe("claiming", () => {
	test("takes the job that has been due for longest, and none before its time", async () => {
		await using scratch = await migratedDatabase();
		const jobs = jobStore(scratch.database, "me");
		const [late, early, future] = [newJob("reconcile", {}), newJob("reconcile", {}), newJob("reconcile", {})];
		await scratch.database.write([
			{ run: jobEntry(late, NOW - 1) },
			{ run: jobEntry(early, NOW - 2) },
			{ run: jobEntry(future, NOW + 1) },
		]);
		const taken = [1, 2, 3].map((turn) => jobs.claim(`c${turn}`, NOW + 60_000, NOW));
		expect((await Promise.all(taken)).map((job) => job?.id)).toEqual([early.id, late.id, undefined]);
		expect(await jobs.isDue(NOW)).toBe(false);
		expect(await jobs.isDue(NOW + 1)).toBe(true);
	});

	test("only the holder of the very claim changes anything", async () => {
		await using scratch = await migratedDatabase();
		const jobs = jobStore(scratch.database, "me");
		const { id } = await jobs.enqueue(newJob("reconcile", {}), BY);
		await jobs.claim("mine", NOW + 60_000, NOW);
		const foreign = { jobId: id, claim: "theirs" };
		expect([
			await jobs.renew(foreign, NOW),
			await jobs.expect(foreign, 5),
			await jobs.finish(foreign, {}, NOW),
			await jobs.fail(foreign, "x", NOW),
			await jobs.postpone(foreign, NOW),
			await jobs.giveBack(foreign, NOW),
		]).toEqual([false, false, false, false, false, false]);
		expect(await jobs.renew({ jobId: id, claim: "mine" }, NOW + 1)).toBe(true);
	});
});

test("a job whose process is dead is due at once, and one of a process that lives is not", async () => {
	await using scratch = await migratedDatabase();
	const [dead, alive] = [jobStore(scratch.database, "dead"), jobStore(scratch.database, "alive")];
	for (const id of ["dead", "alive"]) {
		await scratch.sql(
			`INSERT INTO processes (id, version, host, started_ms, beat_ms, steady_ms) VALUES ('${id}', '1', 'h', 1, 1, 1)`,
		);
	}
	const one = await dead.enqueue(newJob("reconcile", {}), BY);
	const other = await alive.enqueue(newJob("reconcile", {}), BY);
	expect((await dead.claim("of the dead", NOW + 60_000, NOW))?.id).toBe(one.id);
	expect((await alive.claim("of the living", NOW + 60_000, NOW))?.id).toBe(other.id);
	await scratch.sql("DELETE FROM processes WHERE id = 'dead'");
	expect(await alive.isDue(NOW)).toBe(true);
	expect(await alive.claim("next", NOW + 60_000, NOW)).toMatchObject({ id: one.id, cutOff: true });
	expect(await alive.isDue(NOW)).toBe(false);
	expect(await dead.renew({ jobId: one.id, claim: "of the dead" }, NOW + 60_000)).toBe(false);
	expect(await alive.finish({ jobId: other.id, claim: "of the living" }, {}, NOW)).toBe(true);
});

test("a job that was given back belongs to no process any more", async () => {
	await using scratch = await migratedDatabase();
	const jobs = jobStore(scratch.database, "me");
	const { id } = await jobs.enqueue(newJob("reconcile", {}), BY);
	await jobs.claim("mine", NOW + 60_000, NOW);
	expect(await scratch.value("SELECT process FROM jobs")).toBe("me");
	await jobs.giveBack({ jobId: id, claim: "mine" }, NOW);
	expect(await scratch.value("SELECT process FROM jobs")).toBeNull();
});

test("asking each second whether a job is due reads nothing but two small indexes", async () => {
	await using scratch = await migratedDatabase();
	const plan = await planOf(
		scratch,
		sql`SELECT pk FROM jobs WHERE state = 'queued' AND run_ms <= ${NOW}
			UNION ALL SELECT pk FROM jobs WHERE state = 'running' AND lease_ms <= ${NOW}`,
	);
	expect(plan).toContain("jobs_due");
	expect(plan).toContain("jobs_leased");
	expect(plan).not.toContain("SCAN");
});

test("removing a storage looks its images up instead of reading all images", async () => {
	await using scratch = await migratedDatabase();
	expect(await planOf(scratch, sql`SELECT 1 FROM images WHERE storage_pk = ${1}`)).toContain("images_storage");
});
