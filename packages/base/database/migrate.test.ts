import { describe, expect, test } from "bun:test";
import { emptyDatabase, NOW, type Scratch } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

const clock = { now: () => NOW };
const released = await readMigrations();

/**
 * Rows as they were written after the migration of each place: raw SQL, since today's code does not know yesterday's tables.
 * A new migration adds its own entry for the tables that it makes.
 */
const POPULATION: Readonly<Record<number, readonly string[]>> = {
	0: [
		"INSERT INTO accounts (pk, id, email, email_norm, status, created_ms) VALUES (1, 'acc_1', 'A@example.com', 'a@example.com', 'active', 1)",
		"INSERT INTO operators VALUES (1, NULL, 1)",
		"INSERT INTO apps (pk, id, name, name_fold, created_ms) VALUES (1, 'app_1', 'First', 'first', 1)",
		"INSERT INTO app_usage (app_pk, images, bytes) VALUES (1, 1, 10)",
		"INSERT INTO members VALUES (1, 1, 'owner', 1)",
		"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (1, 'sto_1', 1, 'app', NULL, 'team1', 'active', 1, 10, 1)",
		"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (2, 'sto_2', 1, 'user', 1, 'team2', 'active', 0, 0, 1)",
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
	2: [
		"INSERT INTO redirect_uris VALUES (1, 'red_1', 1, 'https://app.example/callback', 1)",
		`INSERT INTO invites (id, app_pk, email, email_norm, role, token_hash, created_by_pk, expires_ms, created_ms)
			VALUES ('inv_1', 1, 'b@example.com', 'b@example.com', 'viewer', zeroblob(32), 1, 2, 1)`,
		`INSERT INTO logins (id, purpose, secret_hash, email, email_norm, code_mac, device, budget, sent_ms, expires_ms, created_ms)
			VALUES ('log_1', 'console', zeroblob(32), 'a@example.com', 'a@example.com', zeroblob(32), 'cli', 'b', 1, 2, 1)`,
		"INSERT INTO exchange_codes VALUES (zeroblob(32), 1, 1, 2, NULL)",
		"INSERT INTO throttles VALUES ('b', 1, 2)",
		"INSERT INTO reports (id, image_id, app_pk, reason, ip_hash, created_ms) VALUES ('rep_1', 'img_1', 1, 'spam', x'01', 1)",
		"INSERT INTO moderation_actions (id, image_id, app_pk, actor, action, created_ms) VALUES ('mod_1', 'img_1', 1, 'acc_1', 'lock', 1)",
		"INSERT INTO emails (id, template, recipient, facts, next_ms, created_ms) VALUES ('eml_1', 'code', 'a@example.com', '{}', 1, 1)",
	],
	3: [
		"INSERT INTO plans VALUES (1, 'pln_1', 1, 'gold', 'Gold', '', '[]', 0, NULL, 1, 1)",
		"INSERT INTO prices VALUES (1, 'prc_1', 1, 499, 'usd', 'month', 0, 1, 1)",
		"INSERT INTO processor_refs VALUES ('simulated', 'prc_1', 'sim_price_1', 1)",
		`INSERT INTO checkouts (id, subject, app_pk, connection_pk, price_pk, processor, ref, started_by, created_ms)
			VALUES ('chk_1', 'user', 1, 1, 1, 'simulated', 'r', 'acc_1', 1)`,
		`INSERT INTO subscriptions (pk, id, subject, app_pk, connection_pk, price_pk, processor, ref, status, period_start_ms,
			period_end_ms, cancel_at_period_end, started_ms, synced_ms, created_ms)
			VALUES (1, 'sub_1', 'user', 1, 1, 1, 'simulated', 'r', 'active', 1, 2, 0, 1, 1, 1)`,
		"INSERT INTO trial_grants VALUES (1, zeroblob(32), 'trial', 1)",
		"INSERT INTO invoices VALUES (1, 'ivc_1', 1, 'r', 'paid', 499, 499, 0, 'usd', 1)",
		"INSERT INTO processor_events VALUES ('simulated', 'e', 'renewed', 'r', 1, NULL)",
		"INSERT INTO sim_objects VALUES ('price', 'r', 1, NULL, '{}')",
		"INSERT INTO sim_clock VALUES (1, 0)",
	],
	4: [
		`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms, tier, public_by_default)
			VALUES ('sto_4', 1, 'personal', 1, 'team4', 'active', 1, 'scale', 1)`,
	],
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
