import { createInterface } from "node:readline";
import { openDatabase } from "@svc/base/database/open";
import { DatabaseError } from "@svc/base/database-error";
import { sql } from "drizzle-orm";

/*
 * Makes eight changes at once for each line that comes, and prints what each was told. In a process of its own, so that its calls and its memory can fail.
 * The line is the first of eight ids, and a limit of SQLite's memory, in bytes, or nothing.
 */

export const AT_ONCE = 8;
/** One that is refused by its guard, whatever becomes of the others, and one that takes many pages. */
export const REFUSED = 5;
const LARGE = 3;

export type Told = "made" | "no" | "refused" | "unknown";

export const TABLES = [
	"CREATE TABLE guard (ok INTEGER NOT NULL) STRICT",
	"CREATE TABLE things (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
	"CREATE TABLE counter (made INTEGER NOT NULL) STRICT",
	"INSERT INTO counter VALUES (0)",
];

async function run(url: string): Promise<void> {
	const { write, close } = await openDatabase({ url });

	async function toldOf(id: number, place: number): Promise<Told> {
		const bytes = place === LARGE ? 60_000 : 2_000;
		const counted = sql`UPDATE counter SET made = made + 1 WHERE ${place} <> ${REFUSED}`;
		try {
			const { refused } = await write([
				{ run: sql`INSERT INTO things VALUES (${id}, randomblob(${bytes}))` },
				{ run: counted, guard: "refused" },
			]);
			return refused ?? "made";
		} catch (error) {
			return error instanceof DatabaseError ? error.written : "unknown";
		}
	}

	process.stdout.write("ready\n");
	for await (const line of createInterface({ input: process.stdin })) {
		const [first = 0, limit = 0] = line.split(" ").map(Number);
		// It may not get the memory to read this: then the earlier limit stays.
		if (limit > 0) await write([{ run: sql.raw(`PRAGMA hard_heap_limit = ${limit}`) }]).catch(() => undefined);
		const told = await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => toldOf(first + place, place)));
		process.stdout.write(`${JSON.stringify(told)}\n`);
	}
	await close();
}

if (import.meta.main) await run(process.argv[2] ?? "");
