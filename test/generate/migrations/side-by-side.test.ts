import { describe, expect, test } from "bun:test";
import { type Migration, needsOf, readMigrations } from "@svc/base/database/migrations/migrate";
import { isExpanding, sideBySideFaults } from "./side-by-side.ts";

const released = await readMigrations();
/** The last one that no release before this rule has to know. */
const BEFORE = released.slice(0, 29);

function next(text: string): Migration {
	return { name: "next", statements: [text], sha256: "", needs: needsOf(text) };
}

const faultsOf = (text: string) => sideBySideFaults([...BEFORE, next(text)], new Set(BEFORE.map(({ name }) => name)));

describe("releases side by side", () => {
	test("every migration says what it is, and is it", () => {
		// No release has a migration yet whose leftovers could be removed.
		expect(sideBySideFaults(released, new Set())).toEqual([]);
	});

	test.each([
		"CREATE TABLE `a` (`pk` integer) STRICT",
		"CREATE INDEX `a_b` ON `a` (`b`)",
		"ALTER TABLE `images` ADD `c` text",
		"UPDATE images SET c = 'x'",
		"CREATE TRIGGER t AFTER UPDATE ON images BEGIN SELECT 1; END",
	])("%s expands", (statement) => {
		expect(faultsOf(`-- expands\n${statement}`)).toEqual([]);
	});

	test.each([
		"DROP TABLE a",
		"ALTER TABLE `images` RENAME TO `pictures`",
		"ALTER TABLE `images` DROP COLUMN `c`",
		"CREATE UNIQUE INDEX `a_b` ON `images` (`caption`)",
		"DELETE FROM images",
	])("%s does not", (statement) => {
		expect(faultsOf(`-- expands\n${statement}`)).toEqual(["next says that it expands, and does not"]);
	});

	test("a table that is made may forbid what it likes", () => {
		expect(isExpanding(["CREATE TABLE `a` (`b` text) STRICT", "CREATE UNIQUE INDEX `a_b` ON `a` (`b`)"])).toBe(true);
	});

	test("so may a column that is added, where it is filled", () => {
		const add = "ALTER TABLE `images` ADD `c` text";
		const unique = (column: string) =>
			`CREATE UNIQUE INDEX \`c\` ON \`images\` (\`pk\`,\`c\`) WHERE ${column} IS NOT NULL`;
		expect(isExpanding([add, unique("c")])).toBe(true);
		expect(isExpanding([add, unique("caption")])).toBe(false);
		expect(isExpanding([`${add} DEFAULT 'x'`, unique("c")])).toBe(false);
		expect(isExpanding([add, "CREATE UNIQUE INDEX `c` ON `images` (`c`)"])).toBe(false);
	});

	test("what says nothing is refused, and what removes something that the last release still uses", () => {
		expect(faultsOf("CREATE TABLE a (b)")).toEqual([
			"next says neither “-- expands” nor “-- contracts <name>” in its first line",
		]);
		expect(faultsOf("-- contracts 0029_processes\nDROP TABLE a")).toEqual([
			"next contracts 0029_processes, which no release has yet",
		]);
		expect(faultsOf(`-- contracts ${BEFORE[0]?.name}\nDROP TABLE a`)).toEqual([]);
	});
});
