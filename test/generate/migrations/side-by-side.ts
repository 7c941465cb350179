import type { Migration } from "@svc/base/database/migrations/migrate";

/*
 * Releases follow each other without a pause: processes of one release work while those of the next have changed the database already. So a
 * change that they would not survive comes in two steps, a release apart: the first one expands, and what nobody uses any more is removed by
 * the second one, which contracts. The first line of a migration says which it is.
 */

/** Every migration from this place on says what it is. */
const FIRST_MARKED = 29;

/** The statements after which a release goes on that does not know of them: none of what it reads or writes is another. */
const EXPANDING = [
	/^CREATE TABLE /,
	/^CREATE INDEX /,
	/^CREATE TRIGGER /,
	/^ALTER TABLE `?\w+`? ADD /,
	/^INSERT INTO /,
	/^UPDATE /,
];

/** Whether a release that does not know these statements goes on working after them, as far as their form tells. */
export function isExpanding(statements: readonly string[]): boolean {
	const made = new Set(statements.flatMap((statement) => NEW_TABLE.exec(bare(statement))?.[1] ?? []));
	const added = new Set(statements.flatMap((statement) => NEW_COLUMN.exec(bare(statement))?.slice(1).join(" ") ?? []));
	return statements.map(bare).every((statement) => {
		// What was never allowed twice may be there twice: unless nobody has written there yet.
		const [unique, table, column] = UNIQUE_INDEX.exec(statement) ?? [];
		if (unique === undefined) return EXPANDING.some((form) => form.test(statement));
		return made.has(table ?? "") || added.has(`${table} ${column}`);
	});
}

const NEW_TABLE = /^CREATE TABLE `?(\w+)/;
/** Without a default, so that it is empty in every row of before. */
const NEW_COLUMN = /^ALTER TABLE `?(\w+)`? ADD `?(\w+)`? \w+;?$/;
/** The table, and the column without which a row is not in it. */
const UNIQUE_INDEX = /^CREATE UNIQUE INDEX \S+ ON `?(\w+)(?:[^;]* WHERE (\w+) IS NOT NULL;?$)?/;

function bare(statement: string): string {
	return statement.replace(/^(?:--[^\n]*\n\s*)+/, "");
}

/**
 * What keeps releases from working side by side, a line each.
 * @param released the names of the migrations that the last release has
 */
export function sideBySideFaults(migrations: readonly Migration[], released: ReadonlySet<string>): readonly string[] {
	return migrations.slice(FIRST_MARKED).flatMap(({ name, needs, statements }) => {
		if (needs === undefined) return [`${name} says neither “-- expands” nor “-- contracts <name>” in its first line`];
		if (needs === "") return isExpanding(statements) ? [] : [`${name} says that it expands, and does not`];
		return released.has(needs) ? [] : [`${name} contracts ${needs}, which no release has yet`];
	});
}
