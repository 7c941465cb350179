import { expect, test } from "bun:test";
import { manyOf, sharedReads } from "./shared-reads.ts";

const ONE = 'select "name", "size" from "things" where "id" = ? and "state" = ?';

test("equal reads are asked once, also by a blob, and others by themselves", () => {
	const [hash, other] = [Uint8Array.of(1, 2), Uint8Array.of(1, 3)];
	const reads = [hash, other, Uint8Array.of(1, 2)].map((value) => ({ sql: "SELECT ?", args: [value] }));
	expect(sharedReads(reads).map(({ places }) => places)).toEqual([[0, 2], [1]]);
	const different = ["1", 1, 1n, true, null, "null", hash.buffer];
	expect(sharedReads(different.map((value) => ({ sql: "SELECT ?", args: [value] })))).toHaveLength(different.length);
});

test("look-ups that differ in their values are one statement, and each gets its own row", () => {
	const many = manyOf(ONE);
	const reads = ["a", "b", "c"].map((id) => ({ sql: ONE, args: [id, "it's"], many }));
	const [shared, ...more] = sharedReads(reads);
	expect(more).toEqual([]);
	expect(shared?.statement).toEqual({ sql: many, args: ['[["a","it\'s"],["b","it\'s"],["c","it\'s"]]'] });
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
	const [shared] = sharedReads([{ sql: ONE, args: ["a", "b"], many: manyOf(ONE) }]);
	expect(shared?.statement).toMatchObject({ sql: ONE, args: ["a", "b"] });
});
