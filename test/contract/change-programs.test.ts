import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { withKnownOutcomes } from "@svc/base/database/remote/known-outcomes";
import type { Step } from "@svc/base/database/step";
import { type SQL, sql } from "drizzle-orm";
import { type LibsqlProxy, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";

/* Changes with the same statements that go together to a real libSQL server, which then keeps these statements and is sent their values alone. */

describe.skipIf(withoutLibsql)(`changes that are alike and go together to a libSQL server${libsqlNote}`, () => {
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
			{ run: sql`CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER NOT NULL, said TEXT) STRICT` },
			{ run: sql`CREATE TABLE things (pk INTEGER PRIMARY KEY, thing ANY, same INTEGER) STRICT` },
		]);
		proxy.passage = async (isChange, forward, body) => {
			if (isChange && body.includes("SAVEPOINT")) requests.push(String(body));
			return await forward();
		};
	});
	afterAll(async () => {
		await database.close();
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});
	beforeEach(async () => {
		await database.write([{ run: sql`DELETE FROM counts` }, { run: sql`DELETE FROM things` }]);
		for (const name of NAMES) await database.write([{ run: sql`INSERT INTO counts VALUES (${name}, 0, '')` }]);
		requests = [];
	});

	/** Counts one on, from what it was read as. */
	const on = (name: string, from: number): readonly Step<"moved">[] => [
		{
			...{ kind: "update", guard: "moved" },
			run: sql`UPDATE counts SET count = count + 1 WHERE name = ${name} AND count = ${from}`,
		},
		{ run: sql`UPDATE counts SET said = said || ${`'${from}?'`} || '?' WHERE name = ${name}` },
	];
	/** The same, behind something else. */
	const later = (name: string, from: number): readonly Step<"moved">[] => [
		{ run: sql`INSERT INTO things VALUES (NULL, ${from}, 1)` },
		...on(name, from),
	];
	const counts = async () =>
		(await database.rows("SELECT count, said FROM counts ORDER BY name", [])).map(
			([count, said]) => `${count} ${said}`,
		);
	/** With one of another kind. */
	const together = (changes: readonly (readonly Step<"moved">[])[]) =>
		Promise.all([database.write([]), ...changes.map((change) => database.write(change))]);
	/** Until the server keeps the statements. */
	async function metBefore(change = on): Promise<void> {
		for (let from = 0; from < MEETINGS; from += 1) await together(NAMES.map((name) => change(name, from)));
	}

	test("are made by one statement once such changes have met twice", async () => {
		await metBefore();
		requests = [];
		await together(NAMES.map((name) => on(name, MEETINGS)));
		expect(requests).toHaveLength(1);
		expect(requests[0]).toContain("INSERT INTO temp.change_");
		expect(requests[0]).not.toContain("UPDATE");
		expect(await counts()).toEqual(NAMES.map(() => `5 ${SAID}'4?'?`));
	});

	test.each([
		["by what they do first", on],
		["by what they do later", later],
	])("are refused each by itself, also where several are, and again and again: %s", async (_, change) => {
		await metBefore(change);
		for (let turn = 0; turn < 5; turn += 1) {
			const late = (place: number) => place % 3 === turn % 3;
			const from = await database.rows("SELECT count FROM counts ORDER BY name", []);
			const read = NAMES.map((_, place) => Number(from[place]?.[0]));
			const changes = NAMES.map((name, place) => change(name, late(place) ? 99 : (read[place] ?? 0)));
			const [, ...ended] = await together(changes);
			expect(ended.map(({ refused }) => refused)).toEqual(NAMES.map((_, place) => (late(place) ? "moved" : undefined)));
			const after = await database.rows("SELECT count FROM counts ORDER BY name", []);
			expect(after.map(([count]) => Number(count))).toEqual(read.map((count, place) => count + (late(place) ? 0 : 1)));
		}
	});

	test("are refused without their whole statements, by what they do first", async () => {
		await metBefore();
		requests = [];
		const [, first, ...others] = await together([on("a", 99), ...NAMES.slice(1).map((name) => on(name, MEETINGS))]);
		expect(first?.refused).toBe("moved");
		expect(others.map(({ refused }) => refused)).toEqual(others.map(() => undefined));
		expect(requests).toHaveLength(1);
		expect(requests[0]).not.toContain("UPDATE counts");
	});

	test("that were made although the server said it was busy count as made, and are not made or refused again", async () => {
		await metBefore();
		const { passage } = proxy;
		proxy.passage = async (isChange, forward, body) => {
			const answer = await forward();
			if (!isChange || !body.includes("SAVEPOINT")) return answer;
			proxy.passage = passage;
			requests.push(String(body));
			return { ...answer, body: Buffer.from(withBusyCommit(String(body), Buffer.from(answer.body).toString())) };
		};
		requests = [];
		const [, ...ended] = await together(NAMES.map((name) => on(name, MEETINGS)));
		proxy.passage = passage;
		expect(ended.map(({ refused }) => refused)).toEqual(NAMES.map(() => undefined));
		expect(requests[1]).toContain("INSERT INTO temp.change_");
		expect(await counts()).toEqual(NAMES.map(() => `5 ${SAID}'4?'?`));
	});

	test("of one row are made in turn, and the second is refused", async () => {
		await metBefore();
		const [, ...ended] = await together([on("a", 4), on("a", 4), on("a", 5), on("b", 4)]);
		expect(ended.filter(({ refused }) => refused === "moved")).toHaveLength(1);
		expect((await counts()).slice(0, 2)).toEqual([`6 ${SAID}'4?'?'5?'?`, `5 ${SAID}'4?'?`]);
	});

	test("go on where the server was started anew and has forgotten them", async () => {
		await metBefore();
		await server.restart();
		await together(NAMES.map((name) => on(name, MEETINGS)));
		expect(requests.at(-1)).toContain("INSERT INTO temp.change_");
		expect(await counts()).toEqual(NAMES.map(() => `5 ${SAID}'4?'?`));
	});

	test("that return rows are sent whole, and give them, however often they meet", async () => {
		const back = (name: string): Step => ({
			run: sql`UPDATE counts SET count = count + 1 WHERE name = ${name} RETURNING name`,
		});
		for (let turn = 0; turn < 8; turn += 1) {
			const [, ...ended] = await Promise.all([
				database.write([]),
				...NAMES.map((name) => database.write([back(name)])),
			]);
			expect(ended.map(({ rows }) => rows)).toEqual(NAMES.map((name) => [[{ name }]]));
		}
		// Others are kept all the same.
		await metBefore(later);
		requests = [];
		await together(NAMES.map((name) => later(name, 8 + MEETINGS)));
		expect(requests[0]).toContain("INSERT INTO temp.change_");
	});

	test.each(Object.entries(VALUES))("keep every value as it is kept alone: %s", async (_, values) => {
		const put = (pk: number, value: unknown): Step => ({
			run: sql`INSERT INTO things VALUES (${pk}, ${value}, ${value} IS 5)`,
		});
		for (const [place, value] of values.entries()) await database.write([put(place, value)]);
		for (let turn = 1; turn <= 3; turn += 1) {
			requests = [];
			await together(values.map((value, place) => [put(100 * turn + place, value)]));
		}
		expect(requests[0]).toContain("INSERT INTO temp.change_");
		const kept = async (turn: number) =>
			await database.rows(
				"SELECT typeof(thing), hex(thing), quote(thing), same FROM things WHERE pk / 100 = ? ORDER BY pk",
				[turn],
			);
		const alone = await kept(0);
		expect(alone).toHaveLength(values.length);
		expect(await kept(3)).toEqual(alone);
	});

	test("tell what they look at in the end, as all of them have left it", async () => {
		const change = (name: string): readonly Step<never>[] => [
			{ run: sql`UPDATE counts SET count = count + 1 WHERE name = ${name}` },
			{ kind: "look", run: sql`SELECT sum(count) AS sum FROM counts WHERE name <> ${"nobody"}` as SQL },
		];
		for (let turn = 1; turn <= 3; turn += 1) {
			const [, ...ended] = await together(NAMES.map(change));
			const sums = ended.map((one) => ("rows" in one ? Number(one.rows?.[1]?.[0]?.sum) : undefined));
			expect(Math.max(...sums.map(Number))).toBe(turn * NAMES.length);
			if (turn === 3) expect(sums).toEqual(NAMES.map(() => turn * NAMES.length));
		}
		expect(requests.at(-1)?.split("SELECT sum")).toHaveLength(2);
	});

	test("of very many kinds take no more than some room at the server", async () => {
		for (let kind = 0; kind < 80; kind += 1) {
			const change = (name: string): readonly Step<never>[] => [
				{ run: sql`UPDATE counts SET count = count + ${sql.raw(String(kind))} WHERE name = ${name}` },
			];
			for (let turn = 0; turn < 3; turn += 1) await together([change("a"), change("b")]);
		}
		expect((await counts()).slice(0, 2)).toEqual(["9480 ", "9480 "]);
		expect(requests.join().match(/CREATE VIEW/g)?.length).toBeGreaterThanOrEqual(80);
		expect(requests.join().match(/DROP VIEW/g)?.length).toBeGreaterThanOrEqual(16);
	});
});

/** Twice before the statements are worth keeping, once when they are first kept, and once with new slots. */
const MEETINGS = 4;
const SAID = "'0?'?'1?'?'2?'?'3?'?";
const NAMES = ["a", "b", "c", "d", "e", "f", "g"];
const BYTES = new Uint8Array([0, 255, 39, 63]);
const TEXTS = [
	"",
	'it\'s "?" \\ \u{1f408}',
	"5",
	"5.0",
	"null",
	"[1]",
	"\u0001\u0008\t\n\r\u007f\u2028",
	"\ud800 alone",
];
const WHOLE = [null, 0, -0, 5, -7, 1_795_745_068_680, 2 ** 53 - 1, 2n ** 62n, -(2n ** 63n), -1n, true, false];
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
	"texts and whole numbers": [...TEXTS, ...WHOLE],
	bytes: [BYTES, null, new Uint8Array(0)],
	"bytes among others": [BYTES, "ff", 5, null],
	"fractions and large numbers": [-1.5, 0.1, 1e300, 2 ** 53, 5],
	"a text with a zero in it": ["a\u0000b", "c"],
	"all of them": [...TEXTS, ...WHOLE, BYTES, -1.5, "a\u0000b"],
};

/** The server's answer to a group, as if it had not been able to commit. */
function withBusyCommit(asked: string, answered: string): string {
	const steps: { readonly stmt: { readonly sql: string } }[] = JSON.parse(asked).requests[0].batch.steps;
	const commit = steps.findIndex(({ stmt }) => stmt.sql === "COMMIT");
	const answer = JSON.parse(answered);
	const { result } = answer.results[0].response;
	result.step_results[commit] = null;
	result.step_errors[commit] = { message: "database is locked", code: "SQLITE_BUSY" };
	return JSON.stringify(answer);
}
