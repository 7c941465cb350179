import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unreachedLines, wholeReads } from "../house/statements.ts";
import { migratedDatabase } from "../support/scratch.ts";

/* What judges the SQL that tests have and have not sent sees what it is for. */

let root: string;
const STORE = "packages/cellar/wine-store.ts";

beforeAll(async () => {
	root = await mkdtemp(join(tmpdir(), "svc-statements-"));
	await mkdir(join(root, "packages/cellar"), { recursive: true });
	const lines = [
		"export function drink(database) {",
		"\treturn sql`DELETE FROM wine WHERE colour = 'red'`;",
		"\tthrow new Error('wine is not FROM here');",
		"}",
	];
	await writeFile(join(root, STORE), lines.join("\n"));
});
afterAll(() => rm(root, { recursive: true }));

/** As the test runner tells it, where every line was run so often. */
const report = (counts: readonly number[]) =>
	[`SF:${STORE}`, ...counts.map((count, place) => `DA:${place + 1},${count}`), "end_of_record"].join("\n");

test("a statement that no test runs is named, with its line; one that some test runs is not", () => {
	const fault = `${STORE}:2  return sql\`DELETE FROM wine WHERE colour = 'red'\`;`;
	expect(unreachedLines(root, [report([1, 0, 0])])).toEqual([fault]);
	expect(unreachedLines(root, [report([1, 0, 0]), report([1, 2, 0])])).toEqual([]);
	expect(unreachedLines(root, [])).toEqual([`${STORE}  as a whole`]);
});

test("a query that reads a whole table is named; one that an index answers is not; one with a wrong column, too", async () => {
	await using scratch = await migratedDatabase();
	const whole = 'select "images"."pk" from "images" where "images"."caption" = ?';
	const found = 'select "images"."pk" from "images" where "images"."id" = ?';
	expect(await wholeReads(scratch.database, [whole, found])).toEqual([`SCAN images:  ${whole}`]);
	const [wrong] = await wholeReads(scratch.database, ['select "images"."colour" from "images"']);
	expect(wrong).toContain("no such column");
});
