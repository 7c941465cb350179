import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { type OpenService, openService } from "../../support/service.ts";

const HOUR_MS = 3_600_000;
const SCHEDULE = { SVC_BACKUP_EVERY: "6h", SVC_BACKUP_KEEP: "2" };

let service: OpenService;
beforeEach(async () => {
	service = await openService(SCHEDULE);
});
afterEach(() => service.close());

const made = async () =>
	(await readdir(join(service.dataDir, "backups")).catch((): string[] => [])).filter((name) => /^\d/.test(name)).sort();
const isScheduled = (name: string) => /^\d{8}-\d{6}-.{8}-scheduled$/.test(name);

async function passHours(hours: number): Promise<readonly string[]> {
	service.clock.advance(hours * HOUR_MS);
	await service.backUpWhenDue();
	await service.runJobs();
	return made();
}

test("makes the first backup at once, the next when it is due, and keeps as many as it was told [backup.schedule]", async () => {
	const first = await passHours(0);
	expect(first.map(isScheduled)).toEqual([true]);
	expect(await passHours(5)).toEqual(first);
	const two = await passHours(1);
	expect([two.length, two[0]]).toEqual([2, first[0]]);
	const later = await passHours(6);
	expect([later.length, later[0]]).toEqual([2, two[1]]);
});

test("never removes what somebody asked for, or put there [backup.schedule-others]", async () => {
	const mine = join(service.dataDir, "backups/20200101-000000-mine");
	await mkdir(mine, { recursive: true });
	await writeFile(join(mine, "svc.db"), "");
	const headers = { Authorization: `Bearer ${service.token}` };
	expect((await service.api("/v1/operator/backups", { method: "POST", headers })).status).toBe(202);
	await service.runJobs();
	for (let round = 0; round < 4; round++) await passHours(6);
	expect((await made()).map(isScheduled)).toEqual([false, false, true, true]);
});

test("waits a quarter of an hour before it tries again what failed [backup.schedule-failed]", async () => {
	const tries = async () =>
		(await service.database.rows("SELECT count(*) FROM jobs WHERE kind = 'backup.make'", []))[0]?.[0];
	await service.backUpWhenDue();
	await service.database.write([
		{ run: sql`UPDATE jobs SET state = 'failed', dedupe = NULL WHERE kind = 'backup.make'` },
	]);
	service.clock.advance(14 * 60_000);
	await service.backUpWhenDue();
	expect(await tries()).toBe(1);
	service.clock.advance(60_000);
	await service.backUpWhenDue();
	expect(await tries()).toBe(2);
});
