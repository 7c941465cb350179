import { describe, expect, test } from "bun:test";
import { cutLine, printableFilename, printableJson, printableLine, shortLine } from "./text.ts";

const FLAG = "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";

/** By what it would do. */
const HOSTILE: Readonly<Record<string, string>> = {
	"a control that begins an escape": "\u001b",
	"a control of the second set": "\u009b",
	"a null character": "\u0000",
	"a deletion": "\u007f",
	"a mark of direction": "\u200f",
	"an override of direction": "\u202e",
	"an isolate of direction": "\u2066",
	"the Arabic mark of direction": "\u061c",
	"a space without width": "\u200b",
	"a word joiner": "\u2060",
	"a byte order mark": "\ufeff",
	"a soft hyphen": "\u00ad",
	"a tag": "\u{e0041}",
	"a tag for nothing": "\u{e0001}",
	"a tag's end": "\u{e007f}",
	"an invisible character of a later Unicode": "\u{e0080}",
	"what will never be a character": "\ufffe",
	"a character for private use": "\ue000",
};

describe("text that is printed", () => {
	test.each(Object.entries(HOSTILE))("holds no %s, wherever it goes [text.unprintable]", (_name, character) => {
		const text = `a${character}b`;
		expect(printableLine(text)).toBe("ab");
		expect(shortLine(text, 10)).toBe("ab");
		expect(printableFilename(text)).toBe("a_b");
		const json = printableJson({ text });
		expect(json).toMatch(/^\{"text":"a(\\u[0-9a-f]{4})+b"\}$/);
		expect(JSON.parse(json)).toEqual({ text });
	});

	test.each(["\n", "\r\n", "\t", "\u0085", "\u2028", "\u2029"])(
		"is one line: %j becomes a space [text.line]",
		(mark) => {
			expect(printableLine(`a${mark}b`)).toBe("a b");
			expect(printableFilename(`a${mark}b`)).toMatch(/^a_+b$/);
		},
	);

	test("keeps what letters and emoji need [text.joiners]", () => {
		for (const text of ["می‌خواهم", "👩‍👩‍👧‍👦", "❤️", "Zoë", "日本語", FLAG, "क्‍ष", "a\u{1d7ff}\u{2fe0}\u{10d40}"]) {
			expect([printableLine(text), printableFilename(text)]).toEqual([text, text]);
		}
	});

	test("keeps no text in tags, behind a flag or elsewhere [text.joiners]", () => {
		const tags = "secret".replace(/./g, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
		expect(printableLine(`${tags}a${tags}`)).toBe("a");
		expect([...printableLine(`🏴${tags.repeat(100)}`)].length).toBeLessThanOrEqual(8);
		expect(printableLine(`🏴a${tags}`)).toBe("🏴a");
	});

	test("holds no half of a character [text.halves]", () => {
		expect(printableLine("a\ud83d")).toBe("a\ufffd");
		expect(printableFilename("a\udc00")).toBe("a\ufffd");
		expect(cutLine("😀😀😀", 2)).toBe("😀…");
	});

	test("is composed, has single spaces, and an ellipsis for what is cut off [text.short]", () => {
		expect(shortLine(" e\u0301  a \n b ", 10)).toBe("é a b");
		expect([shortLine("abcd", 4), shortLine("abcde", 4)]).toEqual(["abcd", "abc…"]);
	});

	test("is no path [text.filename]", () => {
		expect(printableFilename("../a\\b/c")).toBe(".._a_b_c");
	});

	test("keeps the lines of its own indent, and nothing is undefined [text.json]", () => {
		expect(printableJson({ a: ["\n"] }, 2)).toBe('{\n  "a": [\n    "\\n"\n  ]\n}');
		expect(printableJson(undefined)).toBe("null");
	});
});
