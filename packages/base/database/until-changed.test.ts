import { expect, test } from "bun:test";
import { emptyDatabase, migratedDatabase, type Scratch } from "@svc/test/support/scratch";
import { getTableName, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { noRows, type Rows } from "./rows.ts";
import { apps } from "./schema/apps.ts";
import { rowCondition } from "./statements.ts";
import type { Step } from "./step.ts";
import { untilChanged } from "./until-changed.ts";

const NUMBERS = "SELECT number FROM numbers WHERE name = ?";

async function numbered(): Promise<Scratch> {
	const scratch = await emptyDatabase();
	for (const text of [
		"CREATE TABLE numbers (name TEXT PRIMARY KEY, number INTEGER)",
		"CREATE TABLE others (pk INTEGER PRIMARY KEY, number INTEGER)",
		"CREATE TABLE kinds (kind TEXT PRIMARY KEY)",
		"CREATE TABLE things (kind TEXT REFERENCES kinds (kind) ON DELETE CASCADE ON UPDATE CASCADE)",
		"CREATE INDEX things_kind ON things (kind)",
		"CREATE TABLE triggers (number INTEGER)",
		"CREATE TRIGGER triggered AFTER INSERT ON triggers BEGIN UPDATE numbers SET number = NEW.number; END",
		"INSERT INTO numbers VALUES ('one', 1), ('two', 2)",
		"INSERT INTO kinds VALUES ('a')",
		"INSERT INTO things VALUES ('a')",
	])
		await scratch.sql(text);
	return scratch;
}

const rowsOfNumbers = (...names: readonly string[]): Rows => ({ table: "numbers", names });

interface Keeping {
	readonly text?: string;
	readonly database?: Pick<Database, "changes">;
	readonly rowsOf?: () => readonly Rows[];
}

/** A look-up, and how often the database was asked. */
function finder(scratch: Scratch, { text = NUMBERS, database = scratch.database, rowsOf }: Keeping = {}) {
	let asked = 0;
	const find = async (name: string) => {
		asked += 1;
		const [row] = await scratch.database.rows(text, text.includes("?") ? [name] : []);
		return row?.[0] as number | undefined;
	};
	const look = { find, sql: text, nameOf: (name: string) => name, ...(rowsOf && { rowsOf }) };
	return { find: untilChanged(database, look), asked: () => asked };
}

/** How often the database is asked again after a change. */
async function askedAfter(scratch: Scratch, change: Step, keeping?: Keeping): Promise<number> {
	const { find, asked } = finder(scratch, keeping);
	await find("one");
	await find("one");
	expect(asked()).toBe(1);
	await scratch.database.write([change]);
	const after = await find("one");
	const [row] = await scratch.database.rows(
		keeping?.text ?? NUMBERS,
		keeping?.text?.includes("?") === false ? [] : ["one"],
	);
	expect(after).toBe(row?.[0] as number);
	return asked() - 1;
}

test("what was found is kept by its name, until something changes in a table that it was read from", async () => {
	await using scratch = await numbered();
	const { find, asked } = finder(scratch);
	expect([await find("one"), await find("two"), await find("one"), await find("two")]).toEqual([1, 2, 1, 2]);
	expect(asked()).toBe(2);
	await scratch.sql("INSERT INTO others VALUES (1, 1)");
	expect([await find("one"), await find("two"), asked()]).toEqual([1, 2, 2]);
	await scratch.sql("UPDATE numbers SET number = 3 WHERE name = 'two'");
	expect([await find("one"), await find("two")]).toEqual([1, 3]);
	expect(asked()).toBe(4);
});

test.each([
	["by a trigger of another table", "INSERT INTO triggers VALUES (7)", NUMBERS],
	["by a cascade of another table", "DELETE FROM kinds", "SELECT count(*) FROM things"],
	["by a cascade that updates", "UPDATE kinds SET kind = 'b'", "SELECT kind FROM things"],
	["all at once, without a condition", "DELETE FROM others", "SELECT count(*) FROM others"],
	[
		"an index alone is read from",
		"INSERT INTO things VALUES (NULL)",
		"SELECT count(*) FROM things INDEXED BY things_kind",
	],
	[
		"one of two tables is read from",
		"INSERT INTO others VALUES (9, 9)",
		"SELECT (SELECT count(*) FROM others) FROM numbers",
	],
	[
		"by a statement with its own view of them",
		"INSERT INTO numbers SELECT 'one', 4 FROM kinds WHERE TRUE ON CONFLICT DO NOTHING",
		NUMBERS,
	],
	["the schema", "CREATE TABLE fresh (name TEXT)", NUMBERS],
])("a change is seen that is made %s", async (_, change, text) => {
	await using scratch = await numbered();
	expect(await askedAfter(scratch, { run: sql.raw(change) }, { text })).toBe(1);
});

test("a trigger that is made later counts from then on", async () => {
	await using scratch = await numbered();
	const change = { run: sql`INSERT INTO others VALUES (NULL, 5)` };
	expect(await askedAfter(scratch, change)).toBe(0);
	await scratch.sql("CREATE TRIGGER later AFTER INSERT ON others BEGIN UPDATE numbers SET number = NEW.number; END");
	expect(await askedAfter(scratch, change)).toBe(1);
});

test("what was read of one row is kept while others change, and read again when it changes, or any whose names nobody says", async () => {
	await using scratch = await numbered();
	const ofOne = { rowsOf: () => [rowsOfNumbers("one")] };
	const run = sql`UPDATE numbers SET number = number + 1 WHERE name = 'two'`;
	expect(await askedAfter(scratch, { run, rows: [rowsOfNumbers("two", "three")] }, ofOne)).toBe(0);
	expect(await askedAfter(scratch, { run, rows: [rowsOfNumbers("two", "one")] }, ofOne)).toBe(1);
	expect(await askedAfter(scratch, { run }, ofOne)).toBe(1);
	// What was read of all rows is another one with any of them.
	expect(await askedAfter(scratch, { run, rows: [rowsOfNumbers("two")] })).toBe(1);
	// A name of a row of one table says nothing about another one.
	const others = [{ table: "others", names: [1] }];
	expect(await askedAfter(scratch, { run, rows: others }, ofOne)).toBe(1);
});

test("a condition on a row touches nothing, though its statement writes", async () => {
	await using scratch = await migratedDatabase();
	const text = "SELECT count(*) FROM apps";
	const { run, rows = [] } = rowCondition(apps.name, sql`TRUE`, "none");
	expect(rows).toEqual([noRows(apps)]);
	expect(getTableName(apps)).toBe("apps");
	expect(await askedAfter(scratch, { run, rows }, { text })).toBe(0);
	expect(await askedAfter(scratch, { run }, { text })).toBe(1);
});

test("those who ask while it is looked up have the same answer, unless anything at all has changed meanwhile", async () => {
	await using scratch = await numbered();
	const { find, asked } = finder(scratch);
	expect(await Promise.all([find("one"), find("one"), find("two")])).toEqual([1, 1, 2]);
	expect(asked()).toBe(2);
	await scratch.sql("UPDATE numbers SET number = 5 WHERE name = 'one'");
	const first = find("one");
	const changed = scratch.sql("UPDATE numbers SET number = 6 WHERE name = 'one'");
	const second = find("one");
	await Promise.all([first, changed, second]);
	expect([await find("one"), await find("none"), await find("none")]).toEqual([6, undefined, undefined]);
});

test("what is not there is asked for each time", async () => {
	await using scratch = await numbered();
	const { find, asked } = finder(scratch);
	expect([await find("none"), await find("none")]).toEqual([undefined, undefined]);
	expect(asked()).toBe(2);
});

test("what is found while a change is under way is not kept beyond it", async () => {
	await using scratch = await numbered();
	const { find } = finder(scratch);
	const changing = scratch.sql("UPDATE numbers SET number = 9");
	const during: Promise<unknown>[] = [];
	for (let turn = 0; turn < 50; turn++) {
		during.push(find("one"));
		await Promise.resolve();
	}
	await changing;
	expect(await find("one")).toBe(9);
	await Promise.all(during);
	expect(await find("one")).toBe(9);
});

test("nothing is kept where others may write, nor of a query whose tables SQLite cannot say", async () => {
	await using scratch = await numbered();
	const shared = finder(scratch, { database: { changes: undefined } });
	expect([await shared.find("one"), await shared.find("one")]).toEqual([1, 1]);
	expect(shared.asked()).toBe(2);
	const { changes } = scratch.database;
	expect(changes?.readBy("SELECT number FROM nowhere")).toBeUndefined();
	expect(changes?.readBy("no query")).toBeUndefined();
	expect(changes?.readBy("SELECT number FROM numbers, sqlite_schema")).toBeUndefined();
});
