import type { Database } from "@svc/base/database/client";
import { reasonOf } from "@svc/base/database/fault";
import { type SQL, sql } from "drizzle-orm";

/**
 * The statements of a new migration as drizzle-kit wrote them, mended: STRICT tables, WITHOUT ROWID where the primary key is not an integer,
 * expressions in indexes, no PRAGMA (a remote server keeps none, and inside a batch it does nothing), and tables that are rebuilt with
 * the rows of every table that refers to them. Runs each of them on `database`, which has all earlier migrations, and reads its schema.
 * @throws Error for what only a person can write.
 */
export async function mendMigration(database: Database, statements: readonly string[]): Promise<readonly string[]> {
	const mended: string[] = [];
	for (const statement of statements) {
		for (const one of await mend(database, statement)) {
			await attempt(database, one);
			mended.push(one);
		}
	}
	return mended;
}

async function attempt(database: Database, statement: string): Promise<void> {
	try {
		await database.write([{ run: sql.raw(statement) }]);
	} catch (error) {
		throw byHand(`${reasonOf(error)} in "${statement}"`);
	}
}

type Mend = (database: Database, statement: string, name: string) => Promise<readonly string[]>;

const TRIGGER_NAME = /^CREATE TRIGGER (\w+) /;
const NEW = "__new_";
const KEPT = "__kept_";

/** The corrections by the beginning of a statement; the first match applies. Any other statement is unchanged. */
const MENDS: readonly (readonly [RegExp, Mend])[] = [
	[/^PRAGMA (\w+)/, async () => []],
	[/^CREATE TABLE `(\w+)`/, async (_, statement) => [`${statement.replace(/;$/, "")} ${optionsOf(statement)};`]],
	[/^CREATE (?:UNIQUE )?INDEX `(\w+)`/, async (_, statement) => [withExpressions(statement)]],
	[/^INSERT INTO `__new_(\w+)`/, copyRows],
	[/^DROP TABLE `(\w+)`/, dropTable],
	[/^ALTER TABLE `__new_(\w+)` RENAME TO/, replaceTable],
	[/^ALTER TABLE `(\w+)` ADD (?!.*\bDEFAULT\b).*\bNOT NULL\b/, refuseWithoutValue],
];

async function mend(database: Database, statement: string): Promise<readonly string[]> {
	for (const [beginning, how] of MENDS) {
		const name = beginning.exec(statement)?.[1];
		if (name !== undefined) return await how(database, statement, name);
	}
	return [statement];
}

/** A table with an integer primary key is in the order of its rowid; any other table is the index of its primary key. */
function optionsOf(table: string): string {
	const keyed = /` (\w+) PRIMARY KEY|\tPRIMARY KEY\(/.exec(table);
	return keyed === null || keyed[1] === "integer" ? "STRICT" : "STRICT, WITHOUT ROWID";
}

/** For a rebuilt table drizzle-kit quotes `pk DESC` or `lower(name)` like the name of a column. */
function withExpressions(index: string): string {
	return index.replace(/(?<=[(,])`([^`]*[^\w`][^`]*)`(?=[,)])/g, "$1");
}

/** Copies common columns: drizzle-kit also names new ones in double quotes, which SQLite reads as text where no such column exists. */
async function copyRows(database: Database, _: string, name: string): Promise<readonly string[]> {
	const before = new Set((await columnsOf(database, name)).map((column) => column.name));
	const after = await columnsOf(database, NEW + name);
	const without = after.find((column) => column.required && !before.has(column.name));
	if (without !== undefined) throw withoutValue(`${name}.${without.name}`);
	const shared = after.filter((column) => before.has(column.name)).map((column) => `\`${column.name}\``);
	const copy = `INSERT INTO \`${NEW}${name}\` (${shared.join(", ")}) SELECT ${shared.join(", ")} FROM \`${name}\`;`;
	return [...(await keepSequence(database, name)), copy];
}

/** Keeps the highest number that AUTOINCREMENT has given out, which may exceed the remaining rows. */
async function keepSequence(database: Database, name: string): Promise<readonly string[]> {
	const [[made] = []] = await textsOf(database, sql`SELECT sql FROM sqlite_schema WHERE name = ${name}`);
	if (!made?.includes("AUTOINCREMENT")) return [];
	return [
		`INSERT INTO sqlite_sequence (name, seq) SELECT '${NEW}${name}', seq FROM sqlite_sequence WHERE name = '${name}';`,
	];
}

async function dropTable(database: Database, statement: string, name: string): Promise<readonly string[]> {
	// The rows are in the new table by now; replaceTable drops the old one.
	if ((await columnsOf(database, NEW + name)).length > 0) return [];
	const [child] = await referrersOf(database, name);
	if (child !== undefined) throw byHand(`${name} is dropped while ${child} still refers to it`);
	return [statement];
}

/**
 * DROP TABLE deletes the rows first, which empties the tables that refer to it by ON DELETE CASCADE and fails for the others. So all of them
 * are emptied before, the farthest first, and filled again afterwards, the nearest first.
 */
async function replaceTable(database: Database, statement: string, name: string): Promise<readonly string[]> {
	const referrers = await referrersOf(database, name);
	// No trigger may hear of rows that are deleted and inserted again, or name a table that is away for a moment.
	const others = await triggersOf(database, sql`tbl_name <> ${name}`);
	const silence = others.map((made) => `DROP TRIGGER \`${TRIGGER_NAME.exec(made)?.[1]}\`;`);
	const empty = referrers
		.toReversed()
		.flatMap((child) => [
			`CREATE TABLE \`${KEPT}${child}\` AS SELECT * FROM \`${child}\`;`,
			`DELETE FROM \`${child}\`;`,
		]);
	const fill = referrers.flatMap((child) => [
		`INSERT INTO \`${child}\` SELECT * FROM \`${KEPT}${child}\`;`,
		`DROP TABLE \`${KEPT}${child}\`;`,
	]);
	// DROP TABLE drops the table's own triggers too.
	const own = await triggersOf(database, sql`tbl_name = ${name}`);
	return [...silence, ...empty, `DROP TABLE \`${name}\`;`, statement, ...own, ...fill, ...others];
}

async function refuseWithoutValue(_: Database, statement: string, name: string): Promise<never> {
	throw withoutValue(`${name}.${/ ADD `(\w+)`/.exec(statement)?.[1]}`);
}

function withoutValue(column: string): Error {
	return byHand(`${column} is new, must not be null and has no default for the rows that are there`);
}

function byHand(reason: string): Error {
	return new Error(
		`${reason}: change the schema, or write this migration by hand ("A migration by hand" in CONTRIBUTING.md).`,
	);
}

interface Column {
	readonly name: string;
	/** A row cannot be written without a value for this column. */
	readonly required: boolean;
}

async function columnsOf(database: Database, table: string): Promise<readonly Column[]> {
	const rows = await database.read(() =>
		database.queries.values<[string, number]>(
			sql`SELECT name, "notnull" AND dflt_value IS NULL FROM pragma_table_info(${table})`,
		),
	);
	return rows.map(([name, required]) => ({ name, required: required === 1 }));
}

/** The tables that refer to a table, directly or through others: each before those that refer to it. */
async function referrersOf(database: Database, table: string): Promise<readonly string[]> {
	const links = await textsOf(
		database,
		sql`SELECT DISTINCT child.name, link."table" FROM sqlite_schema child, pragma_foreign_key_list(child.name) link WHERE child.type = 'table'`,
	);
	const order: string[] = [];
	const visit = (parent: string, path: readonly string[]) => {
		for (const [child = "", to] of links) {
			if (to !== parent || order.includes(child)) continue;
			if (path.includes(child))
				throw byHand(`${table} is rebuilt, and ${child} refers to itself, directly or through others`);
			visit(child, [...path, child]);
		}
		order.unshift(parent);
	};
	visit(table, [table]);
	return order.slice(1);
}

/** A table's triggers, as statements that create them again. */
async function triggersOf(database: Database, which: SQL): Promise<readonly string[]> {
	const found = await textsOf(database, sql`SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND ${which}`);
	return found.map(([made]) => `${made};`);
}

function textsOf(database: Database, query: SQL): Promise<string[][]> {
	return database.read(() => database.queries.values<string[]>(query));
}
