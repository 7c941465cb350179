import { expect, test } from "bun:test";
import { migratedDatabase } from "@svc/test/support/scratch";
import { databaseHealth } from "./meta.ts";

test("a probe really commits a write", async () => {
	await using scratch = await migratedDatabase();
	const health = databaseHealth(scratch.database);
	for (let probe = 0; probe < 3; probe += 1) await health.probe();
	expect(await scratch.value("SELECT value FROM meta WHERE key = 'probe'")).toBe("3");
});

test("a probe fails when writes do", async () => {
	await using scratch = await migratedDatabase();
	await scratch.sql("DROP TABLE meta");
	await expect(databaseHealth(scratch.database).probe()).rejects.toMatchObject({ name: "DatabaseError" });
});

test("a probe fails when the database is closed", async () => {
	const scratch = await migratedDatabase();
	await scratch[Symbol.asyncDispose]();
	await expect(databaseHealth(scratch.database).probe()).rejects.toThrow();
});
