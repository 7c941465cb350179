import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { withKnownOutcomes } from "@svc/base/database/remote/known-outcomes";
import type { Step } from "@svc/base/database/step";
import { DatabaseError } from "@svc/base/database-error";
import { sql } from "drizzle-orm";
import { Dice, seed } from "../fault/seed.ts";
import { type LibsqlProxy, PASSING, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";

/* Changes that wait while another is on its way to a real libSQL server, and then go together in one transaction. */

describe.skipIf(withoutLibsql)(`changes that go together to a libSQL server${libsqlNote}`, () => {
	let server: LibsqlServer;
	let proxy: LibsqlProxy;
	let database: Database;
	let requests: string[] = [];

	beforeAll(async () => {
		server = await startLibsql();
		proxy = await startLibsqlProxy(server.url);
		const open = () => openDatabase({ url: proxy.url });
		const plain = await open();
		await migrate(plain, await readMigrations(), { now: () => 1 });
		database = withKnownOutcomes(plain, await open());
		await database.write([
			{ run: sql`CREATE TABLE notes (pk INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE)` },
		]);
	});
	afterAll(async () => {
		await database.close();
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});
	beforeEach(async () => {
		proxy.passage = PASSING;
		await database.write([{ run: sql`DELETE FROM notes` }]);
		requests = [];
		proxy.passage = async (isChange, forward, body) => {
			if (isChange && body.includes("notes")) requests.push(String(body));
			return await forward();
		};
	});

	const note = (text: string) => ({ run: sql`INSERT INTO notes (text) VALUES (${text}) RETURNING pk, text` });
	/** Refuses unless the note is there. */
	const has = (text: string): Step<"missing"> => ({
		run: sql`UPDATE notes SET text = text WHERE text = ${text}`,
		guard: "missing",
	});
	const notes = async () => (await database.rows("SELECT text FROM notes ORDER BY pk", [])).map(([text]) => text);
	/** How many were rolled back shows in no number. */
	const numbers = async () => (await database.rows("SELECT pk FROM notes ORDER BY pk", [])).map(([pk]) => Number(pk));

	test("that begin together take one request, are kept in their order, and have their own rows", async () => {
		const texts = Array.from({ length: 9 }, (_, place) => `n${place}`);
		const written = await Promise.all(texts.map((text) => database.write([note(text)])));
		expect(requests).toHaveLength(1);
		expect(await notes()).toEqual(texts);
		expect(written.map(({ rows }) => rows?.[0]?.[0]?.text)).toEqual(texts);
		const [first = 0] = await numbers();
		expect(await numbers()).toEqual(texts.map((_, place) => first + place));
	});

	test("are refused, or fail, each by itself, and leave nothing of themselves and no gap", async () => {
		const ended = await Promise.allSettled([
			database.write([note("alone")]),
			database.write([note("kept 1")]),
			database.write([note("gone 1"), has("nothing"), note("gone 2")]),
			database.write([has("kept 1"), note("kept 2")]),
			database.write([note("kept 1")]),
			database.write([note("gone 3"), { run: sql`SELECT nonsense` }]),
			database.write([note("gone 4"), { run: sql`INSERT INTO notes (text) VALUES (${Number.NaN})` }]),
			database.write([has("gone 1"), note("gone 5")]),
			database.write([has("kept 2"), note("kept 3")]),
		]);
		const said = ended.map((one) => {
			if (one.status === "rejected")
				return `${one.reason.name} ${one.reason.code ?? ""} ${one.reason.written ?? ""}`.trim();
			return one.value.refused ?? "kept";
		});
		expect(said).toEqual([
			"kept",
			"kept",
			"missing",
			"kept",
			expect.stringMatching(/^DatabaseError SQLITE_CONSTRAINT.* no$/),
			expect.stringMatching(/^DatabaseError SQL\w+ /),
			"RangeError",
			"missing",
			"kept",
		]);
		expect(await notes()).toEqual(["alone", "kept 1", "kept 2", "kept 3"]);
		const [first = 0] = await numbers();
		expect(await numbers()).toEqual([first, first + 1, first + 2, first + 3]);
	});

	test("do not fail for what cannot be sent, or read, of one of them", async () => {
		const ended = await Promise.allSettled([
			database.write([note("alone")]),
			database.write([note("kept 1")]),
			database.write([{ run: sql`INSERT INTO notes (text) VALUES (${2n ** 63n})` }]),
			database.write([note("half a \ud800 letter")]),
			database.write([{ run: sql`INSERT INTO notes (text) VALUES ('not exact') RETURNING 9007199254740993` }]),
			database.write([note("kept 2")]),
		]);
		expect(ended.map((one) => (one.status === "rejected" ? String(one.reason) : "kept"))).toEqual([
			"kept",
			"kept",
			"RangeError: An integer that SQLite cannot keep.",
			"kept",
			expect.stringMatching(/^RangeError: The database holds an integer/),
			"kept",
		]);
		expect(await notes()).toEqual(["alone", "kept 1", "half a \ufffd letter", "not exact", "kept 2"]);
	});

	test("are all tried alone where the road lets through nothing as large as one of them", async () => {
		proxy.passage = async (isChange, forward, body) =>
			isChange && body.includes("large")
				? { status: 413, contentType: "text/plain", body: Buffer.from("Too large") }
				: await forward();
		const written = await Promise.allSettled([
			database.write([note("alone")]),
			database.write([note("kept 1")]),
			database.write([note("large")]),
			database.write([has("kept 1"), note("kept 2")]),
		]);
		expect(written.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
		expect(await notes()).toEqual(["alone", "kept 1", "kept 2"]);
	});

	test("are all tried alone where one of them ends the transaction of all", async () => {
		const written = await Promise.allSettled([
			database.write([note("alone")]),
			database.write([note("kept 1")]),
			database.write([note("gone"), { run: sql`INSERT OR ROLLBACK INTO notes (text) VALUES ('kept 1')` }]),
			database.write([has("kept 1"), note("kept 2")]),
		]);
		expect(written.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
		expect(await notes()).toEqual(["alone", "kept 1", "kept 2"]);
	});

	test("none of them is answered before all are kept, and none is kept twice where the answer to all is lost", async () => {
		proxy.passage = async (isChange, forward, body) => {
			const isLost = isChange && body.includes("SAVEPOINT");
			if (isLost) proxy.passage = PASSING;
			const answer = await forward();
			return isLost ? undefined : answer;
		};
		const written = await Promise.all([
			database.write([note("kept 1")]),
			database.write([has("nothing"), note("gone")]),
			database.write([note("kept 2")]),
		]);
		expect(written).toEqual([
			{ refused: undefined, rows: undefined },
			{ refused: "missing" },
			{ refused: undefined, rows: undefined },
		]);
		expect(await notes()).toEqual(["kept 1", "kept 2"]);
	});

	test(`are exactly as they were answered, many at once and of every kind, on a road that loses some (SVC_TEST_SEED=${seed})`, async () => {
		const dice = new Dice(seed);
		proxy.passage = async (_, forward) => {
			if (!dice.chance(0.1)) return await forward();
			if (dice.chance(0.5)) await forward();
			return undefined;
		};
		const kept = new Set<string>();
		const unsure = new Map<string, Promise<unknown>>();
		const one = async (text: string) => {
			// Without rows to return, those that are alike become one program's.
			const run = dice.chance(0.5) ? note(text).run : sql`INSERT INTO notes (text) VALUES (${text})`;
			const kind = dice.chance(0.1) ? [{ run }, has("nothing")] : [{ run }, has(text)];
			const ended = await database.write<"missing">(kind).catch((fault: DatabaseError) => fault);
			if (!(ended instanceof DatabaseError)) return ended.refused === undefined && kept.add(text);
			return ended.written === "unknown" && unsure.set(text, ended.settled);
		};
		for (let turn = 0; turn < 15; turn += 1) {
			await Promise.all(Array.from({ length: 1 + (turn % 5) * 9 }, (_, place) => one(`t${turn} ${place}`)));
		}
		proxy.passage = PASSING;
		for (const [text, settled] of unsure) if ((await settled) === "happened") kept.add(text);
		expect((await notes()).sort()).toEqual([...kept].sort());
	}, 120_000);
});
