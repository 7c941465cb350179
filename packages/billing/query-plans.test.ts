import { describe, expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { userKeyStore } from "@svc/connect/user-keys-store";
import { userStore } from "@svc/connect/users-store";
import { appKeyStore } from "@svc/keys/app-keys-store";
import { migratedDatabase } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/sqlite-proxy";
import { publishedStatusStore } from "./subscriptions/published-statuses-store.ts";
import { subscriptionStore } from "./subscriptions/subscriptions-store.ts";

/* What anybody may ask for costs what it shows, however much the service holds. */

interface Asked {
	readonly sql: string;
	readonly params: readonly unknown[];
}

/** The same database, which keeps what it is asked. */
function overheard(database: Database): readonly [Database, readonly Asked[]] {
	const asked: Asked[] = [];
	const queries = drizzle(async (text, params, method) => {
		asked.push({ sql: text, params });
		const rows = await database.rows(text, params);
		return { rows: method === "get" ? (rows[0] as unknown[]) : rows };
	});
	return [{ ...database, queries }, asked];
}

const TERMS = { graceMs: 0, takesPayments: true, trialMac: async () => new Uint8Array(32) };
const PAGE = { limit: 50, beforePk: 9 };

describe("a page of", () => {
	test.each<readonly [string, (database: Database) => Promise<unknown>]>([
		["a team's keys", (database) => appKeyStore(database).list(1, PAGE)],
		[
			"one's own keys in an App",
			(database) => userKeyStore(database).list({ account: { pk: 1 }, appId: "app_1" }, PAGE),
		],
		[
			"one's own keys outside of every App",
			(database) => userKeyStore(database).list({ account: { pk: 1 }, appId: null }, PAGE),
		],
		["an App's users", (database) => userStore(database).list(1, { ...PAGE, email: undefined })],
	])("%s is read from indexes", async (what, list) => {
		await using scratch = await migratedDatabase();
		const [database, asked] = overheard(scratch.database);
		await list(database);
		expect(asked).toHaveLength(1);
		for (const query of asked) {
			const rows = await scratch.database.rows(`EXPLAIN QUERY PLAN ${query.sql}`, query.params);
			const plan = rows.map((row) => String(row[3])).join("\n");
			expect(plan, what).not.toMatch(/SCAN/);
			// One person has few storages with few keys each: those may be sorted, but are found from the person.
			if (what.startsWith("one's own"))
				expect(plan, what).toMatch(/^SEARCH connections USING INDEX connections_account/);
			else expect(plan, what).not.toMatch(/TEMP B-TREE/);
		}
	});
});

test("what users have bought is found by who they are, not among all users of the App", async () => {
	await using scratch = await migratedDatabase();
	const [database, asked] = overheard(scratch.database);
	await subscriptionStore(database, publishedStatusStore(database, TERMS)).listLatest(1, ["usr_1", "usr_2"]);
	const [query] = asked;
	const rows = await scratch.database.rows(`EXPLAIN QUERY PLAN ${query?.sql}`, query?.params ?? []);
	expect(rows.map((row) => String(row[3]))).toEqual([expect.stringContaining("(user_id=?)")] as never);
});

test("what refers to a storage or an image is found by it when that is deleted", async () => {
	await using scratch = await migratedDatabase();
	const { queries, read } = scratch.database;
	const references = await read(() =>
		queries.values<[string, string]>(sql`SELECT tables.name, keys."from" FROM sqlite_schema AS tables
			JOIN pragma_foreign_key_list(tables.name) AS keys
			WHERE tables.type = 'table' AND keys."table" IN ('storages', 'images')`),
	);
	expect(references.length).toBeGreaterThan(4);
	for (const [table, column] of references) {
		const plan = await scratch.database.rows(`EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE ${column} = ?`, [1]);
		expect([table, column, String(plan[0]?.[3])]).toEqual([table, column, expect.stringMatching(/^SEARCH/)] as never);
	}
});
