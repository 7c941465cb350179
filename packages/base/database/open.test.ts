import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@libsql/client";
import { lockFromOutside } from "@svc/test/support/outside-lock";
import { emptyDatabase, migratedDatabase, type Scratch } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import type { DatabaseOptions } from "./client.ts";
import { openDatabase } from "./open.ts";
import { ofRequest } from "./request-claims.ts";

const FOLDER = import.meta.dir;

/** A table with one counter and the guard table, which is all that a guarded batch needs. */
async function counterDatabase(options: Partial<DatabaseOptions> = {}): Promise<Scratch> {
	const scratch = await emptyDatabase(options);
	await scratch.sql("CREATE TABLE guard (ok INTEGER NOT NULL) STRICT");
	await scratch.sql("CREATE TABLE counters (pk INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT");
	await scratch.sql("INSERT INTO counters VALUES (1, 0), (2, 0)");
	return scratch;
}

const counts = (scratch: Scratch) => scratch.value("SELECT group_concat(count) FROM counters");
const raise = (pk: number, below = 1_000) =>
	sql`UPDATE counters SET count = count + 1 WHERE pk = ${pk} AND count < ${below}`;

/** Another connection to the same file, as a backup or a curious person would have. */
async function withOther<T>(scratch: Scratch, use: (other: Client) => Promise<T>): Promise<T> {
	const other = createClient({ url: scratch.url, concurrency: 1, timeout: 10 });
	try {
		return await use(other);
	} finally {
		other.close();
	}
}

/** Runs code in another process, with `url` in scope, until it ends or is killed. */
function child(url: string, code: string) {
	const script = `const url = ${JSON.stringify(url)};\n${code}`;
	return Bun.spawn([process.execPath, "-e", script], { cwd: FOLDER, stdout: "pipe", stderr: "pipe" });
}

/** Waits until a child has printed something. */
async function spoken(process: { readonly stdout: ReadableStream<Uint8Array> }): Promise<string> {
	for await (const chunk of process.stdout) return new TextDecoder().decode(chunk);
	return "";
}

test("a change marks its request's claim before it looks at what it has left, and is refused where the claim is lost", async () => {
	await using scratch = await counterDatabase();
	await scratch.sql("CREATE TABLE asked (request TEXT NOT NULL) STRICT");
	const { database } = scratch;
	database.claims.set("req_1", raise(2, 1));
	const change = () =>
		database.write([
			{ run: ofRequest("req_1", sql`INSERT INTO asked VALUES (${"req_1"}) RETURNING request`) },
			{ run: raise(1), guard: "full" },
			{ kind: "look", run: sql`SELECT group_concat(count) AS counts FROM counters` },
		]);
	expect(await change()).toEqual({ refused: undefined, rows: [[{ request: "req_1" }], [], [{ counts: "1,1" }]] });
	await expect(change()).rejects.toMatchObject({ code: "idempotency_key_in_progress" });
	expect(await counts(scratch)).toBe("1,1");
});

describe("a full disk", () => {
	/** As many pages as there are, and no more, until the connection is a new one. */
	async function fill(scratch: Scratch): Promise<void> {
		await scratch.database.write([{ run: sql`PRAGMA max_page_count = 1` }]);
	}
	const big = { run: sql`CREATE TABLE big AS SELECT randomblob(100000) AS bytes` };

	test("what did not fit is written once more where room could be made", async () => {
		let asked = 0;
		const onFull = async () => ++asked > 0;
		await using scratch = await counterDatabase({ onFull });
		await fill(scratch);
		expect(await scratch.database.write([{ run: raise(1) }, big])).toMatchObject({ refused: undefined });
		expect([asked, await counts(scratch)]).toEqual([1, "1,0"]);
	});

	test("no other change is tried before there is room", async () => {
		const order: string[] = [];
		const onFull = async () => {
			await Bun.sleep(50);
			order.push("room");
			return true;
		};
		await using scratch = await counterDatabase({ onFull });
		await fill(scratch);
		const changes = [scratch.database.write([big]), scratch.database.write([{ run: raise(1) }])];
		await Promise.all(changes.map((change, place) => change.then(() => order.push(`change ${place}`))));
		expect(order).toEqual(["room", "change 0", "change 1"]);
	});

	test("and is refused where it could not, with nothing of it written", async () => {
		await using scratch = await counterDatabase({ onFull: async () => false });
		await fill(scratch);
		const refused = scratch.database.write([{ run: raise(1) }, big]);
		await expect(refused).rejects.toMatchObject({ code: "SQLITE_FULL", written: "no" });
		expect(await counts(scratch)).toBe("0,0");
	});
});

describe("a guarded change", () => {
	test("names the guard that refused, and keeps nothing of the whole batch", async () => {
		await using scratch = await counterDatabase();
		const change = (first: number, second: number) =>
			scratch.database.write([
				{ run: raise(1, first), guard: "first" },
				{ run: sql`INSERT INTO counters VALUES (3, 0)` },
				{ run: raise(2, second), guard: "second" },
			]);
		expect(await change(0, 1)).toEqual({ refused: "first" });
		expect(await change(1, 0)).toEqual({ refused: "second" });
		expect(await counts(scratch)).toBe("0,0");
		expect(await scratch.value("SELECT count(*) FROM guard")).toBe(0);
		expect(await change(1, 1)).toMatchObject({ refused: undefined });
		expect(await counts(scratch)).toBe("1,1,0");
	});

	test("a guard refuses two rows as well as none", async () => {
		await using scratch = await counterDatabase();
		const outcome = await scratch.database.write([{ run: sql`UPDATE counters SET count = 9`, guard: "one" }]);
		expect(outcome).toEqual({ refused: "one" });
		expect(await counts(scratch)).toBe("0,0");
	});

	test("a broken constraint is an error and not a refusal", async () => {
		await using scratch = await counterDatabase();
		const change = scratch.database.write([
			{ run: raise(1), guard: "first" },
			{ run: sql`INSERT INTO counters VALUES (1, 0)`, guard: "second" },
		]);
		await expect(change).rejects.toMatchObject({ name: "DatabaseError", code: "SQLITE_CONSTRAINT", written: "no" });
		expect(await counts(scratch)).toBe("0,0");
	});

	test("two hundred at once under a limit of fifty: exactly fifty pass", async () => {
		await using scratch = await counterDatabase();
		const outcomes = await Promise.all(
			Array.from({ length: 200 }, () => scratch.database.write([{ run: raise(1, 50), guard: "full" }])),
		);
		expect(outcomes.filter(({ refused }) => refused === undefined)).toHaveLength(50);
		expect(await counts(scratch)).toBe("50,0");
	});

	test("RETURNING rows come back by step, guards not among them", async () => {
		await using scratch = await counterDatabase();
		const outcome = await scratch.database.write([
			{ run: sql`${raise(2)} RETURNING pk, count`, guard: "first" },
			{ run: raise(1) },
			{ run: sql`UPDATE counters SET count = 7 RETURNING count AS seven` },
		]);
		expect(outcome).toEqual({
			refused: undefined,
			rows: [[{ pk: 2, count: 1 }], [], [{ seven: 7 }, { seven: 7 }]],
		});
	});
});

describe("what the driver does with numbers", () => {
	test("a number binds as REAL where a column takes anything, and as INTEGER in a STRICT table", async () => {
		await using scratch = await counterDatabase();
		await scratch.sql("CREATE TABLE loose (value)");
		await scratch.database.write([
			{ run: sql`INSERT INTO loose VALUES (${5})` },
			{ run: sql`INSERT INTO counters VALUES (3, ${Number.MAX_SAFE_INTEGER})` },
		]);
		expect(await scratch.value("SELECT typeof(value) FROM loose")).toBe("real");
		expect(await scratch.value("SELECT typeof(count) FROM counters WHERE pk = 3")).toBe("integer");
		expect(await scratch.value("SELECT count FROM counters WHERE pk = 3")).toBe(Number.MAX_SAFE_INTEGER);
	});

	test("a fraction in a STRICT integer column is refused", async () => {
		await using scratch = await counterDatabase();
		const change = scratch.database.write([{ run: sql`INSERT INTO counters VALUES (3, ${0.5})` }]);
		await expect(change).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
	});

	test("every table is STRICT", async () => {
		await using scratch = await migratedDatabase();
		const loose = "SELECT group_concat(name) FROM pragma_table_list WHERE NOT strict AND schema = 'main'";
		expect(await scratch.value(`${loose} AND name NOT LIKE 'sqlite_%'`)).toBeNull();
	});
});

describe("a connection that met SQLITE_BUSY", () => {
	test("the driver alone stays broken after it: the trap is real", async () => {
		// Closing must not wait long for what the broken connection still holds.
		await using scratch = await counterDatabase({ busyTimeoutMs: 10 });
		await withOther(scratch, async (other) => {
			const naive = createClient({ url: scratch.url, concurrency: 1, timeout: 10 });
			const holder = await other.transaction("write");
			const raiseOnce = () => naive.batch(["UPDATE counters SET count = count + 1 WHERE pk = 1"], "write");
			await expect(raiseOnce()).rejects.toMatchObject({ code: "SQLITE_BUSY" });
			await holder.rollback();
			await expect(raiseOnce()).rejects.toThrow("SQL statements in progress");
			naive.close();
		});
	});

	test("gives up after bounded tries, writes again as soon as the file is free, with all settings", async () => {
		await using scratch = await counterDatabase({ busyTimeoutMs: 10 });
		const settings = async () =>
			await Promise.all(
				["journal_mode", "synchronous", "foreign_keys", "cache_size", "journal_size_limit"].map(async (name) => {
					const [row] = await scratch.sql(`PRAGMA ${name}`);
					return row?.[name];
				}),
			);
		const before = await settings();
		expect(before).toEqual(["wal", 2, 1, -16_000, 67_108_864]);
		await withOther(scratch, async (other) => {
			const holder = await other.transaction("write");
			const refused = scratch.database.write([{ run: raise(1) }]);
			await expect(refused).rejects.toMatchObject({ code: "SQLITE_BUSY", written: "no" });
			await holder.rollback();
		});
		await scratch.database.write([{ run: raise(1) }]);
		expect(await counts(scratch)).toBe("1,0");
		expect(await settings()).toEqual(before);
	});

	test("waits for another process that lets go in time, and loses and doubles nothing", async () => {
		await using scratch = await counterDatabase();
		const holder = child(
			scratch.url,
			`import { createClient } from "@libsql/client";
			const transaction = await createClient({ url, concurrency: 1 }).transaction("write");
			await transaction.execute("UPDATE counters SET count = 100 WHERE pk = 2");
			console.log("holding");
			setTimeout(async () => { await transaction.commit(); process.exit(0); }, 250);`,
		);
		expect(await spoken(holder)).toContain("holding");
		await Promise.all(Array.from({ length: 20 }, () => scratch.database.write([{ run: raise(1) }])));
		expect(await holder.exited).toBe(0);
		expect(await counts(scratch)).toBe("20,100");
	});
});

describe("a lock that another process holds", () => {
	test("never stops the event loop, and ends in an error that says that nothing was written", async () => {
		const waitMs = 600;
		await using scratch = await counterDatabase({ busyTimeoutMs: waitMs });
		await using lock = await lockFromOutside(scratch.url);
		let ticks = 0;
		const ticker = setInterval(() => {
			ticks += 1;
		}, 1);
		const changes = Array.from({ length: 100 }, () => scratch.database.write([{ run: raise(1) }]));
		// Readers go on meanwhile.
		expect(await counts(scratch)).toBe("0,0");
		const outcomes = await Promise.allSettled(changes);
		clearInterval(ticker);
		for (const outcome of outcomes) {
			expect(outcome).toMatchObject({
				status: "rejected",
				reason: { code: "SQLITE_BUSY", written: "no", passing: true },
			});
		}
		// A wait inside SQLite would let none through, and the line of changes one between two of them at most.
		expect(ticks).toBeGreaterThan(30);
		await lock[Symbol.asyncDispose]();
		await scratch.database.write([{ run: raise(1) }]);
		expect(await counts(scratch)).toBe("1,0");
	});

	test("is waited for in line: changes happen in the order in which they came", async () => {
		await using scratch = await counterDatabase({ busyTimeoutMs: 60_000 });
		await using lock = await lockFromOutside(scratch.url);
		const order: number[] = [];
		const changes = Array.from({ length: 20 }, (_, place) =>
			scratch.database.write([{ run: raise(1) }]).then(() => order.push(place)),
		);
		await Bun.sleep(100);
		expect(order).toEqual([]);
		await lock[Symbol.asyncDispose]();
		await Promise.all(changes);
		expect(order).toEqual(Array.from({ length: 20 }, (_, place) => place));
		expect(await counts(scratch)).toBe("20,0");
	});
});

describe("reads", () => {
	test("cannot write, and still cannot after an error renewed their connection", async () => {
		await using scratch = await counterDatabase();
		const { read, queries } = scratch.database;
		for (let round = 0; round < 2; round += 1) {
			await expect(read(() => queries.run(raise(1)))).rejects.toMatchObject({ code: "SQLITE_READONLY" });
			await expect(read(() => queries.values(sql`SELECT nothing`))).rejects.toMatchObject({ code: "SQLITE_ERROR" });
		}
		expect(await counts(scratch)).toBe("0,0");
	});

	test("see every commit that was answered", async () => {
		await using scratch = await counterDatabase();
		for (let round = 1; round <= 50; round += 1) {
			await scratch.database.write([{ run: raise(1) }]);
			expect(await counts(scratch)).toBe(`${round},0`);
		}
	});

	test("an error tells neither SQL nor values", async () => {
		await using scratch = await counterDatabase();
		const error = await scratch.database
			.read(() => scratch.database.queries.values(sql`SELECT count FROM missing WHERE pk = ${"secret value"}`))
			.catch((thrown: unknown) => thrown);
		expect(String(error)).toBe("DatabaseError: The database did not do it (SQLITE_ERROR).");
		expect(Bun.inspect(error)).not.toMatch(/SELECT|secret value/);
	});

	test("one that is slow is reported with its SQL and without its values; a quick one is not", async () => {
		const slow: string[] = [];
		await using scratch = await counterDatabase({ onSlow: ({ sql: text, ms }) => slow.push(`${text} ${ms > 50}`) });
		const { read, queries } = scratch.database;
		// On a busy machine making the tables may be slow as well.
		slow.length = 0;
		const countTo = (end: number) =>
			sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${end}) SELECT count(*) FROM n`;
		await read(() => queries.values(countTo(10)));
		expect(slow).toEqual([]);
		await read(() => queries.values(countTo(2_000_000)));
		expect(slow).toHaveLength(1);
		expect(slow[0]).toContain("WHERE i < ?) SELECT count(*) FROM n true");
	});

	test("a tight loop of awaited reads lets timers and sockets through", async () => {
		await using scratch = await counterDatabase();
		let turns = 0;
		const count = () => {
			turns += 1;
			timer = setImmediate(count);
		};
		let timer = setImmediate(count);
		for (let round = 0; round < 500; round += 1) await counts(scratch);
		clearImmediate(timer);
		expect(turns).toBeGreaterThanOrEqual(9);
	});
});

describe("one owner for a file", () => {
	const serve = `import { openDatabase } from "./open.ts";
		try { await openDatabase({ url }); console.log("serving"); setInterval(() => {}, 1000); }
		catch (error) { console.log(error.message); process.exit(3); }`;

	test("a second process is refused with a message that says what to do", async () => {
		await using scratch = await emptyDatabase();
		const second = child(scratch.url, serve);
		expect(await spoken(second)).toMatch(
			/Another process already serves the folder of .*owner\.lock\.db.*Stop it first/,
		);
		expect(await second.exited).toBe(3);
	});

	test("a second opening in this process is refused too", async () => {
		await using scratch = await emptyDatabase();
		await expect(openDatabase({ url: scratch.url })).rejects.toThrow("Another process already serves");
	});

	test("kill -9 of the owner sets the file free, with all that it had committed", async () => {
		const folder = await mkdtemp(join(tmpdir(), "svc-owner-"));
		const url = `file:${join(folder, "svc.db")}`;
		const owner = child(
			url,
			`import { openDatabase } from "./open.ts"; import { sql } from "drizzle-orm";
			const database = await openDatabase({ url });
			await database.write([{ run: sql.raw("CREATE TABLE kept (value TEXT) STRICT") }]);
			await database.write([{ run: sql.raw("INSERT INTO kept VALUES ('yes')") }]);
			console.log("committed"); setInterval(() => {}, 1000);`,
		);
		expect(await spoken(owner)).toContain("committed");
		await expect(openDatabase({ url })).rejects.toThrow("Another process already serves");
		owner.kill("SIGKILL");
		await owner.exited;
		const database = await openDatabase({ url });
		const rows = await database.read(() => database.queries.values(sql`SELECT value FROM kept`));
		expect(rows).toEqual([["yes"]]);
		await database.close();
		await rm(folder, { recursive: true });
	});

	test("close sets it free and leaves an empty log", async () => {
		const folder = await mkdtemp(join(tmpdir(), "svc-close-"));
		const url = `file:${join(folder, "svc.db")}`;
		for (let round = 0; round < 3; round += 1) {
			const database = await openDatabase({ url });
			const running = database.write([{ run: sql.raw(`CREATE TABLE t${round} (value TEXT) STRICT`) }]);
			await database.close();
			await running;
			await expect(database.write([{ run: sql`SELECT 1` }])).rejects.toThrow("closed");
		}
		expect(Bun.file(join(folder, "svc.db-wal")).size).toBe(0);
		await rm(folder, { recursive: true });
	});
});

test("a checkpoint empties the log", async () => {
	await using scratch = await counterDatabase();
	const log = join(scratch.folder, "svc.db-wal");
	expect((await stat(log)).size).toBeGreaterThan(0);
	await scratch.database.checkpoint();
	expect((await stat(log)).size).toBe(0);
});

test.each([
	["postgres://localhost/svc", "not with postgres:"],
	["file::memory:", "by its path alone"],
	["file:/tmp/svc.db?cache=shared", "by its path alone"],
])("%s is refused at once", async (url, message) => {
	await expect(openDatabase({ url })).rejects.toThrow(message);
});
