import { describe, expect, test } from "bun:test";
import { parseRange } from "./range.ts";

describe("a Range header over 10 bytes", () => {
	test.each([
		["bytes=0-0", { first: 0, last: 0 }],
		["bytes=0-9", { first: 0, last: 9 }],
		["bytes=3-", { first: 3, last: 9 }],
		["bytes=3-99", { first: 3, last: 9 }],
		["bytes=-3", { first: 7, last: 9 }],
		["bytes=-99", { first: 0, last: 9 }],
		["BYTES= 1-2 ", { first: 1, last: 2 }],
		["bytes=10-", "unsatisfiable"],
		["bytes=10-20", "unsatisfiable"],
		["bytes=-0", "unsatisfiable"],
		// The whole: several ranges, other units and nonsense are to be ignored.
		["bytes=0-1,3-4", undefined],
		["bytes=4-3", undefined],
		["bytes=-", undefined],
		["bytes=a-b", undefined],
		["bytes=1", undefined],
		["bytes=1-2-3", undefined],
		["bytes=99999999999999999999-", undefined],
		["lines=0-1", undefined],
		["", undefined],
		[null, undefined],
	] as const)("%p", (header, range) => {
		expect(parseRange(header, 10)).toEqual(range);
	});
});
