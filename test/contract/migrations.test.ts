import { describe, expect, test } from "bun:test";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Database } from "@svc/base/database/client";
import { type Migration, migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { sql } from "drizzle-orm";
import { makeMigration } from "../generate/migrations/make-migration.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { populate } from "../support/population.ts";
import { emptyDatabase } from "../support/scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const clock = { now: () => 1 };

/** A copy of the schema and of its migrations, for a test to change. */
async function copyOfSchema() {
	const root = await mkdtemp(join(tmpdir(), "svc-schema-"));
	const folder = join(root, "packages/base/database/schema");
	await cp(join(ROOT, "drizzle"), join(root, "drizzle"), { recursive: true });
	for (const path of ["database/schema", "enumerations.ts", "drizzle.config.ts", "package.json"]) {
		await cp(join(ROOT, "packages/base", path), join(root, "packages/base", path), { recursive: true });
	}
	await symlink(join(ROOT, "packages/base/node_modules"), join(root, "packages/base/node_modules"));
	return {
		make: () => makeMigration(root),
		migrations: () => readMigrations(pathToFileURL(join(root, "drizzle/"))),
		files: async () => (await readdir(join(root, "drizzle"), { recursive: true })).sort(),
		journal: () => readFile(join(root, "drizzle/meta/_journal.json"), "utf8"),
		async change(name: string, from: string, to: string): Promise<void> {
			const text = await readFile(join(folder, name), "utf8");
			expect(text).toContain(from);
			await writeFile(
				join(folder, name),
				text.replace(from, () => to),
			);
		},
		[Symbol.asyncDispose]: () => rm(root, { recursive: true }),
	};
}

type SchemaCopy = Awaited<ReturnType<typeof copyOfSchema>>;

/** Parents of half of the database, a table with triggers, new columns, indexes of every kind, and a new table. */
async function changeMuch({ change }: SchemaCopy): Promise<void> {
	await change("apps.ts", 'check("storages_counters", sql.raw("images >= 0 AND bytes >= 0")),', "");
	await change(
		"apps.ts",
		'check("apps_limits", sql.raw("coalesce(images_limit, 0) >= 0 AND coalesce(users_limit, 0) >= 0")),',
		"",
	);
	await change("service.ts", 'check("audit_changes", sql.raw("changes IS NULL OR json_valid(changes)")),', "");
	await change("images.ts", 'check("images_sizes", sql.raw("width >= 0 AND height >= 0 AND bytes >= 0")),', "");
	await change(
		"images.ts",
		'index("images_storage")',
		`index("images_newest").on(table.appPk, sql\`published_ms DESC\`).where(sql.raw("nsfw = 0")),
		index("images_folded").on(sql\`lower(filename)\`, table.pk),
		index("images_storage")`,
	);
	await change(
		"images.ts",
		"revision: integer()",
		"rank: integer().notNull().default(7), place: text(),\nrevision: integer()",
	);
	await change(
		"images.ts",
		"export const imageLabels",
		'export const marks = sqliteTable("marks", { name: text().primaryKey(), count: integer().notNull() });\nexport const imageLabels',
	);
}

const run = (database: Database, text: string) => database.write([{ run: sql.raw(text) }]);
const rows = (database: Database, text: string) => database.read(() => database.queries.values(sql.raw(text)));

/** A table that is made anew has its columns in the order of the schema, and no longer in that in which they were added. */
async function rowsByName(database: Database, table: string, without: readonly string[]): Promise<readonly string[]> {
	const columns = (await rows(database, `SELECT name FROM pragma_table_info('${table}') ORDER BY name`)).map(String);
	const named = columns.filter((column) => !without.includes(column)).map((column) => `"${column}"`);
	return (await rows(database, `SELECT ${named} FROM "${table}"`)).map((row) => JSON.stringify(row)).sort();
}

async function contents(database: Database): Promise<Readonly<Record<string, unknown>>> {
	const tables = await rows(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations'");
	const found: Record<string, unknown> = {};
	for (const [name] of tables) found[String(name)] = await rowsByName(database, String(name), []);
	return found;
}

const kinds = (database: Database) =>
	rows(
		database,
		"SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%' ORDER BY name",
	);
const indexes = (database: Database) =>
	rows(database, "SELECT sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY name");

/** A database as it may be in use: rows in every table, and an image and a line of the audit that are gone. */
async function inUse(database: Database, released: readonly Migration[]): Promise<void> {
	await migrate(database, released, clock);
	for (const place of released.keys()) await populate({ sql: (text) => run(database, text).then(() => []) }, place);
	await run(database, "UPDATE sqlite_sequence SET seq = 50");
}

async function expectMigrated(database: Database): Promise<void> {
	await using schema = await copyOfSchema();
	await inUse(database, await schema.migrations());
	const before = { contents: await contents(database), kinds: await kinds(database), indexes: await indexes(database) };
	await changeMuch(schema);
	await schema.make();
	await migrate(database, await schema.migrations(), clock);

	const { images, marks, ...others } = await contents(database);
	const { images: imagesBefore, ...othersBefore } = before.contents;
	expect(others).toEqual(othersBefore);
	expect(marks).toEqual([]);
	expect(await rowsByName(database, "images", ["rank", "place"])).toEqual(imagesBefore as string[]);
	expect(images).toHaveLength((imagesBefore as unknown[]).length);
	expect(await rows(database, "SELECT DISTINCT rank, place FROM images")).toEqual([[7, null]]);

	expect(await kinds(database)).toEqual([...before.kinds, ["marks", 1, 1]].sort());
	const made = [
		["CREATE INDEX `images_folded` ON `images` (lower(filename),`pk`)"],
		["CREATE INDEX `images_newest` ON `images` (`app_pk`,published_ms DESC) WHERE nsfw = 0"],
	];
	expect((await indexes(database)).sort()).toEqual([...before.indexes, ...made].sort());
	expect(await rows(database, "SELECT * FROM pragma_foreign_key_check")).toEqual([]);
	expect(await rows(database, "SELECT DISTINCT seq FROM sqlite_sequence")).toEqual([[50]]);
	await expect(run(database, "DELETE FROM audit")).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
}

describe("a migration that is made for a changed schema keeps all rows, and makes what the schema says", () => {
	test("in a file", async () => {
		await using scratch = await emptyDatabase();
		await expectMigrated(scratch.database);
	});

	test.skipIf(withoutLibsql)(`in a libSQL server${libsqlNote}`, async () => {
		await using server = await startLibsql();
		const database = await openDatabase({ url: server.url });
		try {
			await expectMigrated(database);
		} finally {
			await database.close();
		}
	});
});

test("the schema wants nothing that no migration brings", async () => {
	await using schema = await copyOfSchema();
	expect(await schema.make()).toBeUndefined();
});

describe("what a person must decide is refused, and leaves nothing behind", () => {
	const refusals: readonly (readonly [string, RegExp, (schema: SchemaCopy) => Promise<void>])[] = [
		[
			"a new column without a value for the rows of a table",
			/apps\.rank is new, must not be null/,
			({ change }) => change("apps.ts", "nameFold:", "rank: integer().notNull(),\nnameFold:"),
		],
		[
			"the same where the table is rebuilt",
			/images\.rank is new, must not be null/,
			async ({ change }) => {
				await change("images.ts", 'check("images_sha256", sql.raw("length(sha256) = 32")),', "");
				await change("images.ts", "revision:", "rank: integer().notNull(),\nrevision:");
			},
		],
		[
			"a table that others refer to is dropped",
			/webhook_endpoints is dropped while \w+ still refers to it/,
			({ change }) => change("webhooks.ts", "export const webhookEndpoints", "const webhookEndpoints"),
		],
	];
	test.each(refusals)("%s", async (_, message, change) => {
		await using schema = await copyOfSchema();
		const before = [await schema.files(), await schema.journal()];
		await change(schema);
		const made = schema.make();
		await expect(made).rejects.toThrow(message);
		await expect(made).rejects.toThrow(/"A migration by hand" in CONTRIBUTING\.md/);
		expect([await schema.files(), await schema.journal()]).toEqual(before);
	});
});
