import { expect, test } from "bun:test";
import { and, eq, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { statements } from "../statements.ts";
import { lookUpOf, sharedReads } from "./shared-reads.ts";

const things = sqliteTable("things", { id: text(), name: text(), size: integer(), state: text() });
const { sql: ONE, many: MANY } = lookUpOf({ name: things.name, size: things.size }, (fields) =>
	statements
		.select(fields)
		.from(things)
		.where(and(eq(things.id, sql.placeholder("id")), eq(things.state, sql.placeholder("state")))),
);

test("equal reads are asked once, also by a blob, and others by themselves", () => {
	const [hash, other] = [Uint8Array.of(1, 2), Uint8Array.of(1, 3)];
	const reads = [hash, other, Uint8Array.of(1, 2)].map((value) => ({ sql: "SELECT ?", args: [value] }));
	expect(sharedReads(reads).map(({ places }) => places)).toEqual([[0, 2], [1]]);
	const different = ["1", 1, 1n, true, null, "null", hash.buffer];
	expect(sharedReads(different.map((value) => ({ sql: "SELECT ?", args: [value] })))).toHaveLength(different.length);
});

test("the look-up of many has a place for each value of each, and the columns of one in its row", () => {
	expect(ONE).toBe('select "name", "size" from "things" where ("things"."id" = ? and "things"."state" = ?)');
	expect(MANY).toBe(
		'SELECT asked.key, (select json_array("things"."name", "things"."size") from "things" where ("things"."id" = (asked.value ->> 0) and "things"."state" = (asked.value ->> 1))) FROM json_each(?) AS asked',
	);
});

test("look-ups that differ in their values are one statement, and each gets its own row", () => {
	const reads = ["a", "b", "c"].map((id) => ({ sql: ONE, args: [id, "it's"], many: MANY }));
	const [shared, ...more] = sharedReads(reads);
	expect(more).toEqual([]);
	expect(shared?.statement).toEqual({ sql: MANY, args: ['[["a","it\'s"],["b","it\'s"],["c","it\'s"]]'] });
	const found = {
		columns: ["key", "row"],
		rows: [
			[2, '["C",3]'],
			[0, '["A",null]'],
			[1, null],
		],
	};
	expect([0, 1, 2].map((place) => shared?.rowsOf(found, place))).toEqual([[["A", null]], [], [["C", 3]]]);
});

test("a look-up that is alone stays as it is", () => {
	const [shared] = sharedReads([{ sql: ONE, args: ["a", "b"], many: MANY }]);
	expect(shared?.statement).toMatchObject({ sql: ONE, args: ["a", "b"] });
});
