import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { withKnownOutcomes } from "@svc/base/database/remote/known-outcomes";
import type { Step } from "@svc/base/database/step";
import type { DatabaseError } from "@svc/base/database-error";
import { sql } from "drizzle-orm";
import { Dice, seed } from "../fault/seed.ts";
import { type LibsqlProxy, PASSING, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";

/* A change over a network of which the request or the answer gets lost, at a real libSQL server. */

const TRIES = Number(process.env.SVC_TEST_LOST_CHANGES ?? 300);

describe.skipIf(withoutLibsql)(`a change over a network${libsqlNote}`, () => {
	let server: LibsqlServer;
	let proxy: LibsqlProxy;
	let database: Database;
	let key = 0;

	beforeAll(async () => {
		server = await startLibsql();
		proxy = await startLibsqlProxy(server.url);
		const open = () => openDatabase({ url: proxy.url, remoteTimeoutMs: 1_000 });
		const plain = await open();
		await migrate(plain, await readMigrations(), { now: () => 1 });
		database = withKnownOutcomes(plain, await open(), { withinMs: 2_000, lookUpMs: 1_000 });
	});
	afterAll(async () => {
		await database.close();
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});
	beforeEach(() => {
		proxy.passage = PASSING;
		key += 1;
	});

	const insert = (of = key) => sql`INSERT INTO meta VALUES (${`t${of}`}, '1')`;
	/** Repeated, it counts further: whether it was repeated shows. */
	const count = (of = key): Step<"none"> => ({
		run: sql`UPDATE meta SET value = CAST(value + 1 AS TEXT) WHERE key = ${`t${of}`}`,
		guard: "none",
	});
	const counted = async (of = key) => {
		const rows = await database.read(() =>
			database.queries.values(sql`SELECT value FROM meta WHERE key = ${`t${of}`}`),
		);
		return rows[0]?.[0];
	};
	/** What becomes of the next change; later ones pass. */
	const next = (passage: Passage) => {
		proxy.passage = async (isChange, forward, body) => {
			if (!isChange) return await forward();
			proxy.passage = PASSING;
			return await passage(isChange, forward, body);
		};
	};
	const answerLost: Passage = async (_, forward) => {
		await forward();
		return undefined;
	};

	test("whose answer is lost is known to have happened, and happens once", async () => {
		await database.write([{ run: insert() }]);
		next(answerLost);
		expect(await database.write([count()])).toEqual({ refused: undefined, rows: undefined });
		expect(await counted()).toBe("2");
	});

	test("whose request is lost is tried once more, and its rows are those of the second try", async () => {
		next(async () => undefined);
		const written = await database.write([{ run: sql`${insert()} RETURNING value` }, count()]);
		expect(written).toEqual({ refused: undefined, rows: [[{ value: "1" }], []] });
		expect(await counted()).toBe("2");
	});

	test("whose request comes late is not made twice: it is refused by the time it comes", async () => {
		await database.write([{ run: insert() }]);
		let late: Promise<unknown> = Promise.resolve();
		let release: () => void = () => undefined;
		const held = new Promise<void>((resolve) => {
			release = resolve;
		});
		next(async (_, forward) => {
			late = held.then(forward);
			return undefined;
		});
		expect((await database.write([count()])).refused).toBeUndefined();
		release();
		await late;
		expect(await counted()).toBe("2");
	});

	test("whose request the connection itself repeats happens once", async () => {
		await database.write([{ run: insert() }]);
		next(async (_, forward) => {
			await forward();
			return await forward();
		});
		expect((await database.write([count()])).refused).toBeUndefined();
		expect(await counted()).toBe("2");
	});

	test("that is refused is refused, also where only the second try got through", async () => {
		expect(await database.write([count()])).toEqual({ refused: "none" });
		next(async () => undefined);
		expect(await database.write([count()])).toEqual({ refused: "none" });
		next(answerLost);
		expect(await database.write([count()])).toEqual({ refused: "none" });
	});

	test("ends as unknown where the server stays away, and is settled once it is back", async () => {
		await database.write([{ run: insert() }]);
		let away = false;
		const cut = async (happens: boolean) => {
			proxy.passage = async (_, forward) => {
				if (!away && happens) await forward();
				away = true;
				return undefined;
			};
			const error = await database.write([count()]).then(
				() => undefined,
				(fault: DatabaseError) => fault,
			);
			proxy.passage = PASSING;
			away = false;
			return error;
		};
		const [happened, never] = [await cut(true), await cut(false)];
		expect([happened?.written, happened?.passing]).toEqual(["unknown", true]);
		expect(await happened?.settled).toBe("happened");
		expect([never?.written, await never?.settled]).toEqual(["unknown", "never"]);
		expect(await counted()).toBe("2");
	});

	test("leaves one row behind, however many there are", async () => {
		const slots = async () => (await database.read(() => database.queries.values(sql`SELECT * FROM commits`))).length;
		await database.write([{ run: insert() }]);
		const before = await slots();
		for (let changes = 0; changes < 20; changes++) await database.write([count()]);
		expect(await slots()).toBe(before);
	});

	test(
		`is counted exactly as it was answered, ${TRIES} times on a bad road (SVC_TEST_SEED=${seed})`,
		async () => {
			const dice = new Dice(seed);
			await database.write([{ run: insert() }]);
			proxy.passage = async (_, forward) => {
				if (!dice.chance(0.2)) return await forward();
				if (dice.chance(0.5)) await forward();
				return undefined;
			};
			const unknown: DatabaseError[] = [];
			let happened = 0;
			const one = () =>
				database.write([count()]).then(
					() => {
						happened += 1;
					},
					(fault: DatabaseError) => {
						if (fault.written === "unknown") unknown.push(fault);
					},
				);
			for (let sent = 0; sent < TRIES; sent += 10) await Promise.all(Array.from({ length: 10 }, one));
			proxy.passage = PASSING;
			const later = await Promise.all(unknown.map(({ settled }) => settled));
			expect(later).not.toContain(undefined);
			const total = happened + later.filter((settled) => settled === "happened").length;
			expect(await counted()).toBe(String(1 + total));
		},
		60_000 + TRIES * 100,
	);
});
