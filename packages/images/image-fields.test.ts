import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import {
	caption,
	date,
	filenameOf,
	labels,
	labelsChange,
	metadata,
	metadataChange,
	safeFilename,
	ttl,
} from "./image-fields.ts";

type Schema = v.GenericSchema<unknown, unknown>;

function accepted(schema: Schema, value: unknown): unknown {
	return v.parse(schema, value);
}

function refused(schema: Schema, value: unknown): string[] {
	const result = v.safeParse(schema, value);
	return result.success ? [] : result.issues.map((issue) => issue.message);
}

describe("ttl", () => {
	test.each([
		["3600", 3_600],
		[3_600, 3_600],
		["300", 300],
		["5m", 300],
		["300s", 300],
		["24h", 86_400],
		["7d", 604_800],
		["90d", 7_776_000],
		[7_776_000, 7_776_000],
		["never", null],
		[null, null],
	])("%p is %p seconds", (sent, seconds) => {
		expect(accepted(ttl, sent)).toBe(seconds);
	});

	test.each([
		"",
		"4m",
		"299",
		299,
		"91d",
		"7776001",
		7_776_001,
		"5x",
		"abc",
		"-300",
		-300,
		300.5,
		"1e3",
		"0x200",
		" 300",
		"5M",
		"9".repeat(400),
		true,
		{},
	])("%p is refused", (sent) => {
		expect(refused(ttl, sent)).toHaveLength(1);
	});
});

describe("published_at", () => {
	test.each([
		["1700000000", "2023-11-14T22:13:20.000Z"],
		[1_700_000_000, "2023-11-14T22:13:20.000Z"],
		["2024-01-02T03:04:05Z", "2024-01-02T03:04:05.000Z"],
		["2024-01-02T03:04:05", "2024-01-02T03:04:05.000Z"],
		["2024-01-02T03:04:05.678+02:00", "2024-01-02T01:04:05.678Z"],
		["2024-01-02T03:04:05-0130", "2024-01-02T04:34:05.000Z"],
		["2024-01-02T03:04Z", "2024-01-02T03:04:00.000Z"],
		["2024-02-29", "2024-02-29T00:00:00.000Z"],
		["2024-01-02T03:04:05-01", "2024-01-02T04:04:05.000Z"],
		["2999-12-31", "2999-12-31T00:00:00.000Z"],
		[0, "1970-01-01T00:00:00.000Z"],
		["-0", "1970-01-01T00:00:00.000Z"],
		["1", "1970-01-01T00:00:01.000Z"],
		[-86_400, "1969-12-31T00:00:00.000Z"],
		["-86400", "1969-12-31T00:00:00.000Z"],
		["946684800", "2000-01-01T00:00:00.000Z"],
		["9999999999", "2286-11-20T17:46:39.000Z"],
		[1970, "1970-01-01T00:32:50.000Z"],
		[20_240_102, "1970-08-23T06:15:02.000Z"],
		[253_402_300_799, "9999-12-31T23:59:59.000Z"],
		[-62_167_219_200, "0000-01-01T00:00:00.000Z"],
	])("%p is %s", (sent, iso) => {
		expect(new Date(accepted(date, sent) as number).toISOString()).toBe(iso);
	});

	test.each([
		"yesterday",
		"",
		"2023-02-29",
		"2024-13-01",
		"2024-01-32",
		"2024-01-01T25:00:00Z",
		"2024",
		"-2024",
		"20240102",
		"-20240102",
		"17000000001",
		"+1700000000",
		"1700000000.0",
		"1e9",
		1.5,
		253_402_300_800,
		-62_167_219_201,
		Number.MAX_VALUE,
		null,
		true,
		"2024-1-2",
		"Tue, 02 Jan 2024",
	])("%p is refused", (sent) => {
		expect(refused(date, sent).length).toBeGreaterThan(0);
	});
});

describe("caption", () => {
	test("counts characters, not code units", () => {
		expect(accepted(caption, "é".repeat(5_000))).toHaveLength(5_000);
		expect(accepted(caption, "😀".repeat(5_000))).toHaveLength(10_000);
		expect(refused(caption, "x".repeat(5_001))).toEqual(["must be at most 5,000 characters"]);
	});

	test("what the database would cut or alter is refused", () => {
		expect(refused(caption, "a\0b")).toHaveLength(1);
		expect(refused(caption, "a\ud800b")).toHaveLength(1);
	});
});

describe("metadata", () => {
	test("holds 50 keys of 64 characters with 1,024 characters each", () => {
		const full = Object.fromEntries(
			Array.from({ length: 50 }, (_, i) => [`${i}`.padStart(64, "k"), "v".repeat(1_024)]),
		);
		expect(accepted(metadata, full)).toEqual(full);
		expect(refused(metadata, { ...full, more: "x" })).toEqual(["must have at most 50 keys"]);
		expect(refused(metadata, { ["k".repeat(65)]: "x" })).toHaveLength(1);
		expect(refused(metadata, { k: "v".repeat(1_025) })[0]).toContain('"k"');
	});

	test.each([null, [[]], "{}", { a: 1 }, { a: null }, { a: ["b"] }, { "": "x" }])("%p is refused", (sent) => {
		expect(refused(metadata, sent).length).toBeGreaterThan(0);
	});

	test("keys that JavaScript objects inherit are kept like any other", () => {
		const sent: unknown = JSON.parse('{"constructor":"a","__proto__":"b","prototype":"c"}');
		expect(JSON.stringify(accepted(metadata, sent))).toBe('{"constructor":"a","__proto__":"b","prototype":"c"}');
	});
});

describe("labels", () => {
	test("every allowed form is kept", () => {
		const full = { "a.b_c-1": "a b", ["k".repeat(64)]: "v".repeat(128), constructor: "x" };
		expect(accepted(labels, full)).toEqual(full);
	});

	test.each([
		[{ A: "x" }, "A"],
		[{ "a b": "x" }, "a b"],
		[{ "": "x" }, '""'],
		[{ ["k".repeat(65)]: "x" }, "kkk"],
		[{ é: "x" }, "é"],
		[{ k: "v".repeat(129) }, '"k"'],
		[{ k: "a,b" }, '"k"'],
		[{ k: " a" }, '"k"'],
		[{ k: "a " }, '"k"'],
		[{ k: "" }, '"k"'],
		[{ k: 1 }, '"k"'],
	])("%p is refused, naming the key", (sent, named) => {
		expect(refused(labels, sent).join()).toContain(named);
	});

	test("20 keys, not 21", () => {
		const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
		expect(refused(labels, keys(20))).toEqual([]);
		expect(refused(labels, keys(21))).toEqual(["must have at most 20 keys"]);
	});
});

describe("merges", () => {
	const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));

	test("null is taken for every key, whatever it is called and however many there are", () => {
		const removal = { "Not A Label": null, ...Object.fromEntries(Object.keys(keys(200)).map((key) => [key, null])) };
		expect(accepted(labelsChange, removal)).toEqual(removal);
		expect(accepted(metadataChange, removal)).toEqual(removal);
	});

	test("what stays has the bounds of a whole map", () => {
		expect(refused(labelsChange, { ...keys(20), gone: null })).toEqual([]);
		expect(refused(labelsChange, keys(21))).toEqual(["must have at most 20 keys"]);
		expect(refused(labelsChange, { A: "x", k: "a,b" })).toHaveLength(2);
		expect(refused(metadataChange, keys(51))).toEqual(["must have at most 50 keys"]);
		expect(refused(metadataChange, { k: 1 })).toHaveLength(1);
	});

	test("an import's address is outside the number of keys, and still a value of metadata", () => {
		expect(refused(metadataChange, { ...keys(50), source_url: "x" })).toEqual([]);
		expect(refused(metadataChange, { ...keys(50), source_url: "x".repeat(1_025) })).toHaveLength(1);
	});

	test.each([null, [["a", "b"]], "{}", 1])("%p is refused", (sent) => {
		expect(refused(labelsChange, sent)).toHaveLength(1);
		expect(refused(metadataChange, sent)).toHaveLength(1);
	});
});

const nameOf = (url: string) => safeFilename(filenameOf(url), "fallback");

test.each([
	["https://img.example.com/a/cat.png", "cat.png"],
	["https://img.example.com/cat.png?size=s#top", "cat.png"],
	["https://img.example.com/my%20cat.png", "my cat.png"],
	["https://img.example.com/k%C3%A4tzchen.png", "kätzchen.png"],
	["https://img.example.com/%ff.png", "%ff.png"],
	["https://img.example.com/..%2F..%2Fetc%2Fpasswd", "passwd"],
	["https://img.example.com/a%5Cb%00c%0Ad.png", "bcd.png"],
	["https://img.example.com/a%E2%80%AEgnp.exe", "agnp.exe"],
	["https://img.example.com/%20cat%20", "cat"],
	["https://img.example.com/می‌خواهم.jpg", "می‌خواهم.jpg"],
	["https://img.example.com/क्‍ष.jpg", "क्‍ष.jpg"],
	["https://img.example.com/👩‍👩‍👧🏴󠁧󠁢󠁳󠁣󠁴󠁿.jpg", "👩‍👩‍👧🏴󠁧󠁢󠁳󠁣󠁴󠁿.jpg"],
	["https://img.example.com/%F0%9E%BA%A8.jpg", "\u{1eea8}.jpg"],
	["https://img.example.com/", "fallback"],
	["https://img.example.com", "fallback"],
	["https://img.example.com/%2e%2e", "fallback"],
	["https://img.example.com/%2F", "fallback"],
	["not an address", "fallback"],
])("%s is named %s", (url, name) => {
	expect(nameOf(url)).toBe(name);
});

test("a long name keeps its ending, its 255 characters, and splits none", () => {
	expect(safeFilename(`${"a".repeat(300)}.jpeg`, "f")).toBe(`${"a".repeat(250)}.jpeg`);
	expect([...safeFilename("😀".repeat(300), "f")]).toHaveLength(255);
	expect(safeFilename("a\ud800b", "f").isWellFormed()).toBe(true);
});
