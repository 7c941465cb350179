import { expect, test } from "bun:test";
import { migratedDatabase } from "@svc/test/support/scratch";
import { hasOlderProcess } from "./processes-store.ts";

test("a process of a release that knows of no secret of the deployment is seen while it beats", async () => {
	await using scratch = await migratedDatabase();
	const add = (id: string, secrets: string, ago: number) =>
		scratch.sql(
			`INSERT INTO processes (id, version, host, started_ms, beat_ms, steady_ms, secrets)
			VALUES ('${id}', '1', 'here', 1, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) - ${ago}, 1, ${secrets})`,
		);
	await add("present", "'0a1b2c3d'", 0);
	await add("gone", "NULL", 86_400_000);
	expect(await hasOlderProcess(scratch.database)).toBe(false);
	await add("older", "NULL", 0);
	expect(await hasOlderProcess(scratch.database)).toBe(true);
});
