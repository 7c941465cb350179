import { describe, expect, test } from "bun:test";
import { populate } from "@svc/test/support/population";
import { emptyDatabase, NOW, type Scratch } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import type { Database } from "../client.ts";
import { type Migration, migrate, readMigrationState, readMigrations } from "./migrate.ts";

const clock = { now: () => NOW };
const released = await readMigrations();

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
		await scratch.sql(
			"INSERT INTO accounts (pk, id, email, email_norm, status, created_ms) VALUES (2, 'acc_2', 'b', 'b', 'active', 1)",
		);
		for (const text of [
			"INSERT INTO members VALUES (1, 2, 'owner', 1)",
			"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (3, 'sto_3', 1, 'app', NULL, 'team3', 'active', 0, 0, 1)",
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

	test("a newer release that only expanded is worked beside, and so is one that removes what this one knows to be unused", async () => {
		await using scratch = await emptyDatabase();
		const expanding = { ...made("0001_b", "CREATE TABLE b (value TEXT) STRICT"), needs: "" };
		const contracting = { ...made("0002_c", "DROP TABLE a"), needs: "0001_b" };
		await migrate(scratch.database, [first, expanding], clock);
		expect(await migrate(scratch.database, [first], clock)).toEqual({ missing: [], later: ["0001_b"] });
		await migrate(scratch.database, [first, expanding, contracting], clock);
		expect((await migrate(scratch.database, [first, expanding], clock)).later).toEqual(["0002_c"]);
		const attempt = migrate(scratch.database, [first], clock);
		await expect(attempt).rejects.toThrow("has the migration 0002_c, which this release does not know: start a newer");
	});

	test("what is missing can be looked at, also in a database of a release that knew nothing of others beside it", async () => {
		await using scratch = await emptyDatabase();
		expect(await readMigrationState(scratch.database, [first])).toEqual({ missing: ["0000_a"], later: [] });
		expect(await tablesOf(scratch.database)).toEqual([]);
		await migrate(scratch.database, [first], clock);
		await scratch.sql("ALTER TABLE migrations DROP COLUMN needs");
		expect(await readMigrationState(scratch.database, [first, second])).toEqual({ missing: ["0001_b"], later: [] });
		expect(await migrate(scratch.database, [first, second], clock)).toEqual({ missing: ["0001_b"], later: [] });
	});

	test("a migration that was changed after it was applied is refused before anything is", async () => {
		await using scratch = await emptyDatabase();
		await migrate(scratch.database, [first], clock);
		const altered = { ...first, sha256: "another" };
		const attempt = migrate(scratch.database, [altered, second], clock);
		await expect(attempt).rejects.toThrow("an applied migration never changes");
		expect(await tablesOf(scratch.database)).toEqual(["a"]);
	});

	test("what is looked at is not waited for as long as what is applied", async () => {
		await using scratch = await emptyDatabase();
		const patient: string[] = [];
		const write: Database["write"] = (steps) => {
			patient.push(`${steps.length} statements`);
			return scratch.database.write(steps);
		};
		await migrate(scratch.database, [first, second], clock, { write });
		await migrate(scratch.database, [first, second], clock, { write });
		expect(patient).toEqual(["3 statements", "2 statements"]);
	});

	test("two starts at once apply each migration once", async () => {
		await using scratch = await emptyDatabase();
		await Promise.all([1, 2, 3].map(() => migrate(scratch.database, [first, second], clock)));
		expect(await scratch.value("SELECT count(*) FROM a")).toBe(1);
		expect(await scratch.value("SELECT count(*) FROM migrations")).toBe(2);
	});
});
