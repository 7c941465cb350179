import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { sql } from "drizzle-orm";
import { type LibsqlProxy, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";

const PASSED_ON = /"BEGIN IMMEDIATE"[^{]*\}\},\{"stmt":\{"sql":"COMMIT"/;

/* Connections that are kept open inside a real libSQL server: what is asked on them, and what becomes of them. */

describe.skipIf(withoutLibsql)(`connections kept open inside a libSQL server${libsqlNote}`, () => {
	let server: LibsqlServer;
	let proxy: LibsqlProxy;
	let database: Database;
	const sent = { requests: 0, opened: 0 };

	beforeAll(async () => {
		server = await startLibsql();
		proxy = await startLibsqlProxy(server.url);
		database = await openDatabase({ url: proxy.url });
		await migrate(database, await readMigrations(), { now: () => 1 });
		await database.write([{ run: sql`INSERT INTO meta VALUES ('count', '0')` }]);
	});
	afterAll(async () => {
		await database.close();
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});
	beforeEach(() => {
		proxy.passage = counting;
		Object.assign(sent, { requests: 0, opened: 0 });
	});

	const counting: Passage = (_, forward, body) => {
		// A change that took long is followed by an empty one, which passes on what may have been given to the connection unasked.
		if (PASSED_ON.test(String(body))) return forward();
		sent.requests += 1;
		if (body.includes('"baton":null')) sent.opened += 1;
		return forward();
	};
	const read = (value: unknown) => database.rows("SELECT ?", [value]);
	const count = () =>
		database.write([{ run: sql`UPDATE meta SET value = CAST(value + 1 AS TEXT) WHERE key = 'count'`, guard: "none" }]);
	const counted = async () => (await database.rows("SELECT value FROM meta WHERE key = 'count'", []))[0]?.[0];

	test("reads and changes that follow each other use one connection each", async () => {
		await read("warm");
		await count();
		Object.assign(sent, { requests: 0, opened: 0 });
		for (let turn = 0; turn < 20; turn += 1) {
			expect(await read(`${turn}`)).toEqual([[`${turn}`]]);
			expect((await count()).refused).toBeUndefined();
		}
		expect(sent).toEqual({ requests: 40, opened: 0 });
	});

	test("reads that begin together go in one request, each with its own answer or its own fault", async () => {
		const [first, wrong, last] = await Promise.allSettled([
			read("first"),
			database.rows("SELECT * FROM nowhere", []),
			read("last"),
		]);
		expect(first).toEqual({ status: "fulfilled", value: [["first"]] });
		expect(wrong).toMatchObject({ status: "rejected", reason: { name: "DatabaseError", written: "no" } });
		expect(last).toEqual({ status: "fulfilled", value: [["last"]] });
		expect(sent.requests).toBe(1);
	});

	test("a read whose answer is too large for one request spoils no other", async () => {
		const large = "SELECT hex(zeroblob(6 * 1024 * 1024))";
		const [one, other, third] = await Promise.allSettled([database.rows(large, []), read("other"), read("third")]);
		expect(one.status).toBe("rejected");
		expect(other).toEqual({ status: "fulfilled", value: [["other"]] });
		expect(third).toEqual({ status: "fulfilled", value: [["third"]] });
	});

	test("a value that no database can keep is refused, and spoils no other read", async () => {
		const bad = database.rows("SELECT ?", [Number.POSITIVE_INFINITY]);
		const good = database.rows("SELECT 1", []);
		await expect(bad).rejects.toThrow("cannot keep");
		expect(await good).toEqual([[1]]);
	});

	test("a burst of reads opens few connections, and all of them are answered", async () => {
		const asked = Array.from({ length: 900 }, (_, number) => String(number));
		const answers = await Promise.all(asked.map(read));
		expect(answers.map((rows) => rows[0]?.[0])).toEqual(asked);
		expect(sent.opened).toBeLessThanOrEqual(20);
	});

	test("every kind of value comes back as it was sent", async () => {
		const bytes = Uint8Array.from([0, 1, 254, 255]);
		const values = ["", "é\u{1f4f7}", 1.5, -3, 0, null, 9_007_199_254_740_991n, bytes];
		const [row = []] = await database.rows(`SELECT ${values.map(() => "?").join(", ")}`, values);
		const back = row.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value));
		expect(back).toEqual(["", "é\u{1f4f7}", 1.5, -3, 0, null, 9_007_199_254_740_991, bytes]);
	});

	test("a table that another connection changes is seen as it is now", async () => {
		const other = await openDatabase({ url: server.url });
		await other.write([{ run: sql`CREATE TABLE shape (a TEXT)` }, { run: sql`INSERT INTO shape VALUES ('1')` }]);
		expect(await database.rows("SELECT a FROM shape", [])).toEqual([["1"]]);
		await other.write([{ run: sql`ALTER TABLE shape ADD COLUMN b TEXT DEFAULT 'new'` }]);
		expect(await database.rows("SELECT a, b FROM shape", [])).toEqual([["1", "new"]]);
		await other.close();
	});

	test("a refused change leaves nothing behind on the connection that the next one uses", async () => {
		const before = await counted();
		const refused = await database.write([
			{ run: sql`UPDATE meta SET value = 'lost' WHERE key = 'count'` },
			{ run: sql`UPDATE meta SET value = '' WHERE key = 'nobody'`, guard: "nobody" },
		]);
		expect(refused).toEqual({ refused: "nobody" });
		await count();
		expect(await counted()).toBe(String(Number(before) + 1));
	});

	test("after a new start of the server no old connection is used, and nothing happens twice", async () => {
		await Promise.all([read("a"), count()]);
		const before = Number(await counted());
		await server.restart();
		expect((await count()).refused).toBeUndefined();
		expect(await counted()).toBe(String(before + 1));
	});
});
