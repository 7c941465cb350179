import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BREAKPOINT, type Migration, migrate, needsOf, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { mendMigration } from "./mend-migration.ts";
import { isExpanding } from "./side-by-side.ts";

const CONFIG = "packages/base/drizzle.config.ts";

/**
 * Makes the migration for the schema in `root`, as SQL that can run, and returns the path of its file; undefined where nothing has changed.
 * A failure leaves no file behind.
 * @throws Error that says what a person must do.
 */
export async function makeMigration(
	root: string,
	options: readonly string[] = [],
	output: "inherit" | "ignore" = "ignore",
): Promise<string | undefined> {
	const folder = join(root, "drizzle");
	const journal = join(folder, "meta", "_journal.json");
	const journalBefore = await readFile(journal, "utf8");
	const earlier = await readMigrations(pathToFileURL(`${folder}/`));
	const filesBefore = await filesIn(folder);
	try {
		await generate(root, options, output);
		const written = (await readMigrations(pathToFileURL(`${folder}/`)))[earlier.length];
		if (written === undefined) return undefined;
		const file = join(folder, `${written.name}.sql`);
		await writeFile(file, await mended(earlier, written));
		return file;
	} catch (error) {
		const added = (await filesIn(folder)).filter((file) => !filesBefore.includes(file));
		for (const file of added) await rm(join(folder, file));
		await writeFile(journal, journalBefore);
		throw error;
	}
}

function filesIn(folder: string): Promise<readonly string[]> {
	return readdir(folder, { recursive: true });
}

async function generate(root: string, options: readonly string[], output: "inherit" | "ignore"): Promise<void> {
	const program = join(import.meta.dirname, "../../../node_modules/.bin/drizzle-kit");
	const child = spawn(program, ["generate", "--config", CONFIG, ...options], { cwd: root, stdio: output });
	const [code] = await once(child, "exit");
	if (code !== 0) throw new Error(`drizzle-kit ended with ${code}`);
}

/** The corrected text of a migration, tried on an empty database with all earlier ones. */
async function mended(earlier: readonly Migration[], written: Migration): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), "svc-migration-"));
	const database = await openDatabase({ url: `file:${join(folder, "empty.db")}` });
	try {
		await migrate(database, earlier, { now: () => 0 });
		const statements = await mendMigration(database, written.statements);
		return `${isExpanding(statements) ? "-- expands\n" : ""}${statements.join(`\n${BREAKPOINT}\n`)}\n`;
	} finally {
		await database.close();
		await rm(folder, { recursive: true, force: true });
	}
}

async function adviceFor(file: string): Promise<string> {
	if (needsOf(await readFile(file, "utf8")) !== undefined) return "";
	return "A process of the last release does not work beside it: expand first, contract a release later (CONTRIBUTING.md).\n";
}

if (import.meta.main) {
	try {
		const file = await makeMigration(process.cwd(), process.argv.slice(2), "inherit");
		if (file !== undefined)
			process.stdout.write(`Mended: read ${file} before you commit it.\n${await adviceFor(file)}`);
	} catch (error) {
		process.stderr.write(`No migration was made. ${error instanceof Error ? error.message : error}\n`);
		process.exitCode = 1;
	}
}
