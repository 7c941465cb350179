import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "@svc/base/database/client";
import { Glob } from "bun";
import { migratedDatabase } from "../support/scratch.ts";

/*
 * What the tests have proven of the SQL, read from what they leave behind: a statement is prepared against the migrated schema when a test
 * sends it, so that each line of a store has to be run by some test; and what is asked of a table that grows has to use an index.
 *
 *   SVC_TEST_STATEMENTS=<folder> bun test --coverage --coverage-reporter=lcov --coverage-dir=<folder>
 *   bun test/house/statements.ts <folder>
 */

/** Where SQL is written. */
const STORES = [
	"packages/**/*-store.ts",
	"packages/base/database/{audit,last-uses,meta,rate-shared,request-claims}.ts",
];

/** What makes up a statement: the builder, or text of SQL. What a store throws, and how it reads rows, are not looked at. */
const SQL_LINE =
	/sql`|\bqueries\b|\bstatements\.|\$\{\w+\.\w+\}|\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|VALUES|UNION)\b/;

/** Lines of stores with SQL that no test has run, as `file:line  text`. */
export function unreachedLines(root: string, reports: readonly string[]): readonly string[] {
	const hits = new Map<string, Map<number, number>>();
	for (const report of reports) addHits(hits, report);
	return storesOf(root).flatMap((file) => {
		const lines = readFileSync(join(root, file), "utf8").split("\n");
		const found = hits.get(file);
		if (found === undefined) return lines.some((line) => SQL_LINE.test(line)) ? [`${file}  as a whole`] : [];
		return [...found]
			.filter(([, count]) => count === 0)
			.map(([place]) => [place, lines[place - 1]?.trim() ?? ""] as const)
			.filter(([, text]) => SQL_LINE.test(text) && !/\bError\(/.test(text))
			.map(([place, text]) => `${file}:${place}  ${text}`);
	});
}

function storesOf(root: string): readonly string[] {
	return STORES.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root, followSymlinks: false })])
		.filter((file) => !file.includes("node_modules"))
		.sort();
}

/** Adds how often each line was run, by file, as lcov tells it. */
function addHits(hits: Map<string, Map<number, number>>, report: string): void {
	let file = new Map<number, number>();
	for (const line of report.split("\n")) {
		if (line.startsWith("SF:")) {
			const name = line.slice("SF:".length).trim();
			file = hits.get(name) ?? new Map();
			hits.set(name, file);
		}
		const [, place, count] = /^DA:(\d+),(\d+)/.exec(line) ?? [];
		if (place !== undefined) file.set(Number(place), (file.get(Number(place)) ?? 0) + Number(count));
	}
}

/** Queries that read a table from end to end, or as far as they find something, on purpose. */
const WHOLE: readonly { readonly query: RegExp; readonly why: string }[] = [
	{
		query: /ORDER BY "\w+"\."pk" (?:ASC|DESC) LIMIT \?\s*(?:$|\) order by)/i,
		why: "a page in the order in which the rows lie",
	},
	{
		query: /from "blobs" where "blobs"."state" = \? limit \?$/,
		why: "asked once at a start: the first row that there is",
	},
	{ query: /from "damaged_blobs" inner join .* group by/, why: "what scrubs have found: a handful" },
	{
		query: /from "blocked_pictures"\s*$/i,
		why: "what is kept of blocked pictures, read where it has changed: thousands at most",
	},
	{
		query: /order by "picture_queue"."image_pk" desc limit \?$/,
		why: "pictures that wait for some seconds, and a hundred of those that an earlier release has left",
	},
	{ query: /^\s*SELECT \(SELECT count\(\*\) FROM/, why: "totals for operators, who wait for them" },
	{
		query: /where "security_letters"."summed_up_in" = \?$/,
		why: "letters of seven days, for a link that was found by its digest",
	},
	{
		query: /union select "account_pk" from "operators"\)+$|from "operators" cross join "accounts"/,
		why: "all operators of the service: a handful",
	},
	{
		query: /from "processes" (?:where "processes"."secrets" IS NULL|order by "processes"."pk" asc$)/,
		why: "the processes on this database: a handful",
	},
	{
		query: /FROM "(?:webhook_endpoints|signing_keys)" WHERE [\s\S]*substr\(/,
		why: "a look of one process each minute for what is to be sealed anew: some for each App",
	},
	{
		query: /FROM "replays" WHERE [\s\S]*substr\(/,
		why: "the answers of a day, once where another secret seals",
	},
	{ query: /\bwhere \(*false\b/, why: "of an empty list of ids: nothing is read" },
];

/** The product names tables and columns from the schema, in double quotes; tests and migrations write theirs otherwise. */
const OURS = /^\s*(?:with|select)\b(?!\s+\*\s)[^`]*"\w+"\."\w+"/i;

/** Queries that read a whole table, with how SQLite says so, and those that cannot be prepared. */
export async function wholeReads(database: Database, statements: Iterable<string>): Promise<readonly string[]> {
	const found: string[] = [];
	for (const statement of statements) {
		if (!OURS.test(statement) || WHOLE.some(({ query }) => query.test(statement))) continue;
		const plan = await planOf(database, statement);
		const scans = plan.filter((step) => isWhole(step, statement));
		if (scans.length > 0) found.push(`${scans.join(", ")}:  ${statement.replaceAll(/\s+/g, " ")}`);
	}
	return found;
}

async function planOf(database: Database, statement: string): Promise<readonly string[]> {
	try {
		return (await database.rows(`EXPLAIN QUERY PLAN ${statement}`, [])).map((row) => String(row[3]));
	} catch (error) {
		return [String(error instanceof Error ? (error.cause ?? error) : error)];
	}
}

/** A table of the schema without any index; subqueries, lists of values and names given in the query are none. */
function isWhole(step: string, statement: string): boolean {
	if (/error/i.test(step)) return true;
	const [, name] = /^SCAN (\w+)$/.exec(step) ?? [];
	return name !== undefined && new RegExp(`(?:from|join)\\s+"${name}"`, "i").test(statement);
}

function filesOf(folder: string, pattern: string): readonly string[] {
	return [...new Glob(pattern).scanSync({ cwd: folder })].map((name) => readFileSync(join(folder, name), "utf8"));
}

if (import.meta.main) {
	const [folder = ""] = process.argv.slice(2);
	const texts = filesOf(folder, "**/*.jsonl").flatMap((file) => file.split("\n").filter(Boolean));
	const statements = new Set(texts.map((text) => JSON.parse(text) as string));
	await using scratch = await migratedDatabase();
	const wrong = [
		...unreachedLines(join(import.meta.dirname, "../.."), filesOf(folder, "**/lcov.info")).map(
			(line) => `no test runs ${line}`,
		),
		...(await wholeReads(scratch.database, statements)).map((line) => `no index: ${line}`),
	];
	for (const line of wrong) process.stderr.write(`${line}\n`);
	process.stdout.write(`${statements.size} statements, ${wrong.length} faults\n`);
	process.exitCode = wrong.length > 0 || statements.size === 0 ? 1 : 0;
}
