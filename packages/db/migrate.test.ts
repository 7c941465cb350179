import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";
import { emptyDatabase, NOW, type Scratch } from "./scratch.ts";

const clock = { now: () => NOW };
const released = await readMigrations();

/**
 * Rows as they were written after the migration of each place: raw SQL, since today's code does not know yesterday's tables.
 * A new migration adds its own entry for the tables that it makes.
 */
const POPULATION: Readonly<Record<number, readonly string[]>> = {
	0: [
		"INSERT INTO accounts VALUES (1, 'acc_1', 'A@example.com', 'a@example.com', 'active', NULL, 1)",
		"INSERT INTO operators VALUES (1, NULL, 1)",
		"INSERT INTO apps (pk, id, name, name_fold, created_ms) VALUES (1, 'app_1', 'First', 'first', 1)",
		"INSERT INTO app_usage (app_pk, images, bytes) VALUES (1, 1, 10)",
		"INSERT INTO members VALUES (1, 1, 'owner', 1)",
		"INSERT INTO storages VALUES (1, 'sto_1', 1, 'app', NULL, 'team1', 'active', 1, 10, 1)",
		"INSERT INTO storages VALUES (2, 'sto_2', 1, 'user', 1, 'team2', 'active', 0, 0, 1)",
		"INSERT INTO connections VALUES (1, 'con_1', 'usr_1', 1, 1, 2, 'connected', 'a@example.com', 1, 1, NULL)",
		"INSERT INTO monthly_usage VALUES (1, '2026-11', 1)",
		`INSERT INTO keys (id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, created_ms)
			VALUES ('key_1', 1, 'app', 1, 1, 'Default', 3, zeroblob(32), 'svc_sk_test_', 'aaaa', 1)`,
		"INSERT INTO sessions (hash, id, account_pk, kind, expires_ms, created_ms) VALUES (zeroblob(32), 'ses_1', 1, 'pat', 2, 1)",
		`INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key,
			published_ms, created_ms, labels) VALUES ('img_1', 1, 1, 'ready', 'a.jpg', 'jpg', 1, 1, 10, zeroblob(32), 'b1', 1, 1, '{"k":"v"}')`,
		"INSERT INTO image_labels VALUES (1, 'k', 'v', 1, 1, NULL)",
		"INSERT INTO idempotency VALUES (1, x'01', x'02', 'img_1', 'nonce', 'done', 1, NULL, 1, 2)",
		"INSERT INTO blobs VALUES ('b1', 'live', 1)",
		"INSERT INTO jobs (id, kind, payload, state, run_ms, created_ms) VALUES ('job_1', 'sweep', '{}', 'queued', 1, 1)",
		"INSERT INTO audit (at_ms, actor, event) VALUES (1, 'acc_1', 'app.created')",
		"INSERT INTO meta VALUES ('k', 'v')",
	],
	1: ["INSERT INTO image_facts VALUES ('b1', 'faces', CAST('[]' AS BLOB), 1)"],
};

async function populate(scratch: Scratch, place: number): Promise<void> {
	for (const text of POPULATION[place] ?? []) await scratch.sql(text);
}

async function tablesOf(database: Database): Promise<readonly string[]> {
	const rows = await database.read(() =>
		database.queries.values<[string]>(
			sql`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
		),
	);
	return rows.map(([name]) => name).filter((name) => name !== "migrations" && name !== "guard");
}

/** How many rows each table holds. */
async function countRows(scratch: Scratch): Promise<ReadonlyMap<string, unknown>> {
	const counts = new Map<string, unknown>();
	for (const name of await tablesOf(scratch.database)) {
		counts.set(name, await scratch.value(`SELECT count(*) FROM ${name}`));
	}
	return counts;
}

function made(name: string, ...statements: string[]): Migration {
	return { name, statements, sha256: name };
}

describe("the released migrations", () => {
	test.each(released.map(({ name }, place) => [name, place] as const))(
		"rows that were written after %s survive all later ones",
		async (_, place) => {
			await using scratch = await emptyDatabase();
			await migrate(scratch.database, released.slice(0, place + 1), clock);
			for (let earlier = 0; earlier <= place; earlier += 1) await populate(scratch, earlier);
			const before = await countRows(scratch);
			expect([...before.values()].every((count) => Number(count) > 0)).toBe(true);
			await migrate(scratch.database, released, clock);
			const after = await countRows(scratch);
			for (const [name, count] of before) if (after.has(name)) expect([name, after.get(name)]).toEqual([name, count]);
			expect(await scratch.value("SELECT group_concat(integrity_check) FROM pragma_integrity_check")).toBe("ok");
			expect(await scratch.value("SELECT count(*) FROM pragma_foreign_key_check")).toBe(0);
		},
	);

	test("a second start applies nothing", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, released, clock);
		await populate(scratch, 0);
		await migrate(scratch.database, released, { now: () => NOW + 1 });
		const rows = await scratch.sql("SELECT name, sha256, applied_ms FROM migrations ORDER BY position");
		expect(rows).toEqual(released.map(({ name, sha256 }) => ({ name, sha256, applied_ms: NOW })));
	});

	test("they use nothing that a remote server refuses", () => {
		for (const { statements } of released) expect(statements.join("\n")).not.toMatch(/\b(PRAGMA|ATTACH|VACUUM)\b/i);
	});

	test("the audit takes rows and neither changes nor loses them", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, released, clock);
		await populate(scratch, 0);
		await expect(scratch.sql("UPDATE audit SET actor = 'nobody'")).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
		await expect(scratch.sql("DELETE FROM audit")).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
		expect(await scratch.value("SELECT actor FROM audit")).toBe("acc_1");
	});

	test("an App has one Owner, one storage of its own, and its counters never fall below nothing", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, released, clock);
		await populate(scratch, 0);
		await scratch.sql("INSERT INTO accounts VALUES (2, 'acc_2', 'b', 'b', 'active', NULL, 1)");
		for (const text of [
			"INSERT INTO members VALUES (1, 2, 'owner', 1)",
			"INSERT INTO storages VALUES (3, 'sto_3', 1, 'app', NULL, 'team3', 'active', 0, 0, 1)",
			"UPDATE app_usage SET images = images - 2",
			"UPDATE storages SET bytes = -1",
		]) {
			await expect(scratch.sql(text)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
		}
	});
});

describe("migrate", () => {
	const first = made("0000_a", "CREATE TABLE a (value TEXT) STRICT", "INSERT INTO a VALUES ('kept')");
	const second = made("0001_b", "CREATE TABLE b AS SELECT value FROM a");

	test("applies what is missing, in order", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, [first], clock);
		await migrate(scratch.database, [first, second], clock);
		expect(await scratch.value("SELECT value FROM b")).toBe("kept");
	});

	test("a migration that fails halfway leaves nothing behind, and the next start tries it again", async () => {
		await using scratch = await emptyDatabase();
		const broken = made("0001_b", "CREATE TABLE b (value TEXT) STRICT", "INSERT INTO nowhere VALUES (1)");
		const attempt = migrate(scratch.database, [first, broken], clock);
		await expect(attempt).rejects.toThrow(/0001_b failed and left nothing behind: .*no such table: nowhere/);
		expect(await tablesOf(scratch.database)).toEqual(["a"]);
		await migrate(scratch.database, [first, second], clock);
		expect(await scratch.value("SELECT value FROM b")).toBe("kept");
	});

	test("a database from a newer release is refused and left alone", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, [first, second], clock);
		const attempt = migrate(scratch.database, [first], clock);
		await expect(attempt).rejects.toThrow("has the migration 0001_b, which this release does not know: start a newer");
	});

	test("a migration that was changed after it was applied is refused before anything is", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, [first], clock);
		const altered = { ...first, sha256: "another" };
		const attempt = migrate(scratch.database, [altered, second], clock);
		await expect(attempt).rejects.toThrow("an applied migration never changes");
		expect(await tablesOf(scratch.database)).toEqual(["a"]);
	});

	test("two starts at once apply each migration once", async () => {
		await using scratch = await emptyDatabase();
		await Promise.all([1, 2, 3].map(() => migrate(scratch.database, [first, second], clock)));
		expect(await scratch.value("SELECT count(*) FROM a")).toBe(1);
		expect(await scratch.value("SELECT count(*) FROM migrations")).toBe(2);
	});
});
