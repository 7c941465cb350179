import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { partsOf } from "./multipart.ts";
import { readHead, textOf } from "./part-head.ts";

const HEAD = 'Content-Disposition: form-data; name="caption"\r\n';
const START = `--XX\r\n${HEAD}\r\n`;

async function* cut(body: string, bytes: number) {
	const whole = Buffer.from(body, "latin1");
	for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes);
}

/** The contents of the parts of a body, or the code of its refusal; the same however it is cut. */
async function contents(body: string): Promise<readonly string[] | string> {
	const outcomes = await Promise.all([1, 2, 3, 7, 1_000_000].map((bytes) => contentsOf(cut(body, bytes))));
	expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
	return outcomes[0] ?? [];
}

async function contentsOf(pieces: AsyncGenerator<Uint8Array>): Promise<readonly string[] | string> {
	const found: string[] = [];
	try {
		for await (const { content } of partsOf(pieces, "XX")) {
			found.push(Buffer.concat(await Array.fromAsync(content)).toString("latin1"));
		}
		return found;
	} catch (cause) {
		if (cause instanceof Failure) return cause.code;
		throw cause;
	}
}

describe("what ends a part", () => {
	test.each([
		["a line that is the boundary", `${START}one\r\n--XX\r\n${HEAD}\r\ntwo\r\n--XX--\r\n`, ["one", "two"]],
		[
			"white space behind the boundary",
			`--XX \t\r\n${HEAD}\r\none\r\n--XX\t\r\n${HEAD}\r\ntwo\r\n--XX-- \t`,
			["one", "two"],
		],
		["much white space", `--XX${" ".repeat(1_000)}\r\n${HEAD}\r\none\r\n--XX--`, ["one"]],
		["no content at all", `--XX\r\n${HEAD}\r\n--XX\r\n${HEAD}\r\n\r\n--XX--`, ["", ""]],
		["a preamble and an epilogue", `a\r\n--XXX\r\n-\r\n${START}one\r\n--XX--\r\n--XX\r\n--XX--`, ["one"]],
		["a line feed behind the last boundary", `${START}one\r\n--XX--\n`, ["one"]],
	])("is %s", async (_, body, found) => {
		expect(await contents(body)).toEqual(found);
	});

	test.each([
		"one\r\n--XXL two\r\nthree",
		"one\r\n--XX two\r\nthree",
		"one\r\n--XX-- two\r\nthree",
		"one\r\n--XX-\r\nthree",
		"one\r\n--XX\rthree",
		"one\r\n--XX\nthree",
		"one\r\r\n--X\r\n-\r\n--XX.",
		"--XXL one",
		"\r\n\r\n--X",
		`one${"\r\n--XXL".repeat(1_000)}`,
	])("is not in %j: the whole text is kept", async (text) => {
		expect(await contents(`${START}${text}\r\n--XX--\r\n`)).toEqual([text]);
	});

	test.each([
		["no last boundary", `${START}one\r\n--XX`],
		["one that goes on", `${START}one\r\n--XX--two`],
		["no first boundary", "one\r\n"],
		["more lines that begin like it than anybody has", `${START}${"\r\n--XXL".repeat(1_001)}\r\n--XX--`],
		["a head without an end", `--XX\r\n${"X-A: b\r\n".repeat(11_000)}\r\n\r\none\r\n--XX--`],
	])("is refused where there is %s", async (_, body) => {
		expect(await contents(body)).toBe("bad_request");
	});
});

const headOf = (disposition: string) =>
	readHead(Buffer.from(`Content-Disposition: form-data; ${disposition}\r\n`.trim()));
const filenameOf = (parameters: string) => headOf(`name=file; ${parameters}`).filename;

describe("the name of a file", () => {
	test.each([
		[`filename*=utf-8''%E6%97%A5.jpg`, "日.jpg"],
		[`filename*=UTF-8'ja'%e6%97%a5.jpg`, "日.jpg"],
		[`filename*="UTF-8''%E6%97%A5.jpg"`, "日.jpg"],
		[`filename*=UTF-8''日.jpg`, "日.jpg"],
		[`filename*=iso-8859-1''caf%E9.jpg`, "café.jpg"],
		[`filename*=日.jpg`, "日.jpg"],
		[`filename="日.jpg"`, "日.jpg"],
		[`filename=日.jpg`, "日.jpg"],
		[`FileName = "日.jpg" `, "日.jpg"],
		[`filename="=?utf-8?B?5pel5pysLmpwZw==?="`, "日本.jpg"],
		[`filename="=?UTF-8?Q?caf=C3=A9_1.jpg?= =?utf-8?q?_2?="`, "café 1.jpg 2"],
		[`filename="=?utf-8?B?/w==?="`, "=?utf-8?B?/w==?="],
		[`filename="a =?utf-8?B?5pel?="`, "a =?utf-8?B?5pel?="],
		[`filename="a%22b%0D%0Ac%20%3f%0a.jpg"`, 'a"b\r\nc%20%3f%0a.jpg'],
		[`filename=a%22b.jpg`, "a%22b.jpg"],
		[`filename="a\\"b\\\\c\\d.jpg"`, 'a"b\\c\\d.jpg'],
		[`filename="C:\\pictures\\"`, "C:\\pictures\\"],
		[`filename="a\\"; size="3"`, "a\\"],
		[`filename="a; b=c.jpg"`, "a; b=c.jpg"],
		[`filename="a"b".jpg"`, "a"],
		[`filename="a.jpg`, "a.jpg"],
		[`filename=two words.jpg`, "two words.jpg"],
		[`filename=""`, undefined],
		["filename", undefined],
	])("sent as %s is %p", (parameters, filename) => {
		expect(filenameOf(parameters)).toBe(filename);
	});

	test("is the extended one in any order and quoting, before a fallback and an encoded word", () => {
		const extended = [`filename*=utf-8''%E6%97%A5.jpg`, `filename*="utf-8''%E6%97%A5.jpg"`];
		const fallbacks = ["filename=fallback.jpg", 'filename="fallback.jpg"', 'filename="=?utf-8?B?eA==?="'];
		for (const name of ["name=file", 'name="file"']) {
			for (const one of extended) {
				for (const other of fallbacks) {
					const orders = [
						[name, one, other],
						[name, other, one],
						[one, other, name],
						[other, one, name],
						[one, name, other],
					];
					expect(orders.map((order) => headOf(order.join("; ")).filename)).toEqual(orders.map(() => "日.jpg"));
				}
			}
		}
	});

	test.each([
		[`filename="\\xff.jpg"`, "file"],
		[`filename*=UTF-8''%FF.jpg`, "file"],
		[`filename*=x-unknown''a.jpg`, "file"],
	])("is refused under file where %s is no text", (parameters, field) => {
		const head = `Content-Disposition: form-data; name=file; ${parameters.replace("\\xff", "\xff")}`;
		expect(() => readHead(Buffer.from(head, "latin1"))).toThrow(
			expect.objectContaining({ details: { [field]: [expect.stringContaining("UTF-8")] } }),
		);
	});
});

describe("the head of a part", () => {
	test("may be folded, in any case, with other fields before it, and tells the type without its parameters", () => {
		const lines = [
			"X-Nothing:",
			'CONTENT-TYPE:Text/Plain;\tcharset="ISO-8859-1"',
			"content-disposition: Form-Data;",
			'\tname="é"',
		];
		expect(readHead(Buffer.from(lines.join("\r\n")))).toEqual({
			...{ name: "é", filename: undefined, isFile: false },
			...{ contentType: "text/plain", charset: "ISO-8859-1" },
		});
	});

	test.each([
		"",
		"Content-Type: text/plain",
		"Content-Disposition: attachment; name=a",
		"Content-Disposition: form-data",
		'Content-Disposition: form-data; name=""',
		`Content-Disposition: form-data; name=${"a".repeat(201)}`,
		"Content-Disposition: form-data; name=\xff",
	])("is refused under body where it is %j, which has no name", (head) => {
		expect(() => readHead(Buffer.from(head, "latin1"))).toThrow(
			expect.objectContaining({ details: { body: [expect.any(String)] } }),
		);
	});

	test.each(["nothing", "a b: c", ": c", " a: b", "Content-Disposition: form-data; name=a\nb", "A: b\rC: d"])(
		"is refused as a whole where it is %j",
		(head) => {
			expect(() => readHead(Buffer.from(head))).toThrow(expect.objectContaining({ code: "bad_request" }));
		},
	);
});

test("text is UTF-8, or what its part says, and never with a replacement character", () => {
	const of = (bytes: string, charset?: string) => textOf(Buffer.from(bytes, "latin1"), charset);
	expect([of("\xc3\xa9"), of("\xef\xbb\xbfa"), of("\xe9", "ISO-8859-1"), of("\x83\x65", "shift_jis")]).toEqual([
		"é",
		"\ufeffa",
		"é",
		"テ",
	]);
	expect([of("\xe9"), of("\xc3"), of("\xed\xa0\x80"), of("a", "x-unknown"), of("\x00\xd8", "utf-16le")]).toEqual([
		undefined,
		undefined,
		undefined,
		undefined,
		undefined,
	]);
});
