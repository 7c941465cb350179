import { describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { openDatabase } from "@svc/base/database/open";
import { sql } from "drizzle-orm";
import { removeData } from "../support/process.ts";
import { AT_ONCE, REFUSED, TABLES, type Told } from "./group-program.ts";
import { found } from "./scoreboard.ts";
import { ERRORS, shimAround, shimNote, withoutShim } from "./shim.ts";

/*
 * Changes that come at once share a transaction and a commit. Each write, each sync and each piece of memory that eight of them need fails in turn: each
 * of the eight is told the truth, also where the fault is another one's.
 */

const PROGRAM = join(import.meta.dirname, "group-program.ts");
const CALLS_MAX = 400;

/** What each change was told, by its id. */
type AllTold = Map<number, Told>;

interface Program {
	/** Lets eight changes be made, and gives how many ended in each way. */
	eight(limit?: number): Promise<readonly Told[]>;
	readonly exitCode: () => number | null;
	end(): Promise<void>;
}

async function withDatabase(use: (folder: string, url: string, told: AllTold) => Promise<void>): Promise<AllTold> {
	const folder = await mkdtemp(join(tmpdir(), "svc-group-"));
	const url = `file:${join(folder, "svc.db")}`;
	const made = await openDatabase({ url });
	await made.write(TABLES.map((text) => ({ run: sql.raw(text) })));
	await made.close();
	const told: AllTold = new Map();
	await use(folder, url, told);
	await expectTruth(url, told);
	await removeData(folder);
	return told;
}

async function expectTruth(url: string, told: AllTold): Promise<void> {
	const { queries, read, close } = await openDatabase({ url });
	const ids = new Set((await read(() => queries.values<[number]>(sql`SELECT id FROM things`))).map(([id]) => id));
	const wrong = [...told].filter(([id, how]) => how !== "unknown" && (how === "made") !== ids.has(id));
	expect(wrong).toEqual([]);
	// Each is there whole or not at all.
	expect(await read(() => queries.values(sql`SELECT made FROM counter`))).toEqual([[ids.size]]);
	expect(await read(() => queries.values(sql`PRAGMA integrity_check`))).toEqual([["ok"]]);
	await close();
}

async function startProgram(url: string, told: AllTold, under: readonly string[] = []): Promise<Program> {
	const child = Bun.spawn([...under, process.execPath, PROGRAM, url], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]();
	const line = async () => String((await lines.next()).value);
	expect(await line()).toBe("ready");
	return {
		exitCode: () => child.exitCode,
		async eight(limit) {
			const first = told.size + 1;
			child.stdin.write(`${first} ${limit ?? ""}\n`);
			await child.stdin.flush();
			const answers = JSON.parse(await line()) as Told[];
			for (const [place, answer] of answers.entries()) told.set(first + place, answer);
			return answers;
		},
		async end() {
			await child.stdin.end();
			await child.exited;
		},
	};
}

const countOf = (told: AllTold, how: Told) => [...told.values()].filter((one) => one === how).length;

describe("of eight changes that share a commit", () => {
	test("each is made but for the one that its guard refuses, where nothing fails", async () => {
		const told = await withDatabase(async (_, url, all) => {
			const program = await startProgram(url, all);
			await program.eight();
			await program.end();
		});
		const answers = Array.from({ length: AT_ONCE }, (_, place) => (place === REFUSED ? "refused" : "made"));
		expect([...told.values()]).toEqual(answers as Told[]);
	});

	test.skipIf(withoutShim).each([
		["write", "EIO"],
		["write", "ENOSPC"],
		["fsync", "EIO"],
	] as const)(
		`each is told the truth whichever %s fails with %s, and the next eight are made${shimNote}`,
		async (of, error) => {
			let tried = 0;
			const told = await withDatabase(async (folder, url, all) => {
				const shim = await shimAround(folder);
				const program = await startProgram(url, all, shim.under);
				const order = (text: string) => shim.order(text, () => program.exitCode()?.toString());
				for (let nth = 1; nth <= CALLS_MAX; nth += 1) {
					await order(`arm ${of} ${ERRORS[error]} ${nth}`);
					await program.eight();
					const [, failed] = (await order("disarm")).split(" ").map(Number);
					if (failed === 0) break;
					tried += 1;
					expect((await program.eight()).filter((how) => how === "made")).toHaveLength(AT_ONCE - 1);
				}
				await program.end();
			});
			expect(tried).toBeGreaterThan(0);
			// They share it.
			if (of === "fsync") expect(tried).toBeLessThan(AT_ONCE);
			found("a group of changes fails", {
				of,
				error,
				tried,
				unknown: countOf(told, "unknown"),
				no: countOf(told, "no"),
			});
		},
		120_000,
	);

	test("each is told the truth however little memory SQLite has for them", async () => {
		const told = await withDatabase(async (_, url, all) => {
			const program = await startProgram(url, all);
			for (let limit = 1_500_000; limit > 20_000; limit -= 8_000) await program.eight(limit);
			await program.end();
		});
		expect(countOf(told, "made")).toBeGreaterThan(0);
		expect(countOf(told, "no")).toBeGreaterThan(0);
		found("a group of changes fails", { of: "memory", unknown: countOf(told, "unknown"), no: countOf(told, "no") });
	}, 120_000);
});
