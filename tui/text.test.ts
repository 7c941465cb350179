import { expect, test } from "bun:test";
import { ageText, bytesText } from "@svc/nouns/words";
import stringWidth from "string-width";
import { cell, cut, oneLine, widthOf, wrap } from "./text.ts";

test("cells are exactly as wide as asked, whatever they hold [tui.text.width]", () => {
	for (const text of [
		"",
		"plain",
		"日本語の写真.png",
		"e\u0301e\u0301e\u0301",
		"👩‍👩‍👧‍👦 family",
		"a".repeat(40),
		"🇫🇷🇩🇪🇯🇵",
	]) {
		for (const width of [0, 1, 2, 3, 7, 20])
			expect([text, width, widthOf(cell(text, width))]).toEqual([text, width, width]);
	}
});

test("a word that is too long goes on in the next line, whole [tui.text.wrap]", () => {
	expect(wrap(`see ${"abcdefgh".repeat(3)} 日本語日本語`, 10)).toEqual([
		"see",
		"abcdefghab",
		"cdefghabcd",
		"efgh",
		"日本語日本",
		"語",
	]);
});

test("what terminals find differently wide is left out: joiners, variants, skin tones, key caps, what cannot be seen [tui.text.unsure]", () => {
	expect(oneLine("👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 1\ufe0f\u20e3 a\u00adb\u3164c 🇫🇷")).toBe("👩👩👧 ❤ 👍 1 abc 🇫🇷");
});

test("nothing that a terminal obeys is left [tui.text.hostile]", () => {
	expect(oneLine("a\u001b[2Jb\u202ec\nd\u009b1me\u0007\u061cf")).toBe("a[2Jbc d1mef");
});

test("every script is as wide as terminals find it: a cell for each sign that is no mark, two for wide ones [tui.text.width]", () => {
	const widths = {
		กำ: 2,
		น้ำ: 2,
		ຄຳ: 2,
		क्ष: 2,
		क्षत्रिय: 6,
		ক্ষ: 2,
		ൎക: 2,
		က္က: 2,
		ខ្មែរ: 4,
		རྐ: 1,
		한글: 4,
		ᄒᆞᆫ: 2,
		ᄀᄀ: 4,
		ﾊﾞ: 2,
		日本: 4,
		"e\u0301\u0327": 1,
	};
	expect(Object.fromEntries(Object.keys(widths).map((text) => [text, widthOf(text)]))).toEqual(widths);
	// Ink counts clusters with a library.
	for (const text of [...Object.keys(widths), "각\u1161\u11a8\u1100", "\u1161", "\u11a8a"]) {
		expect([text, stringWidth(oneLine(text))]).toEqual([text, widthOf(text)]);
		expect(oneLine(oneLine(text))).toBe(oneLine(text));
	}
});

test("an ellipsis stands for what is cut off [tui.text.cut]", () => {
	expect([cut("abcdef", 4), cut("abcd", 4), cut("日本語", 4)]).toEqual(["abc…", "abcd", "日…"]);
});

test("lines are no wider than asked [tui.text.wrap]", () => {
	expect(wrap("one two three four", 9)).toEqual(["one two", "three", "four"]);
	expect(wrap("abcdefghijkl", 5)).toEqual(["abcde", "fghij", "kl"]);
});

test("bytes and ages in a few cells [tui.text.amounts]", () => {
	expect([0, 999, 1_000, 1_234_567, 3e12].map(bytesText)).toEqual(["0 B", "999 B", "1.0 kB", "1.2 MB", "3.0 TB"]);
	const nowMs = Date.parse("2026-01-02T00:00:00Z");
	expect(
		["2026-01-02T00:00:03Z", "2026-01-01T23:59:30Z", "2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z", null].map((at) =>
			ageText(at, nowMs),
		),
	).toEqual(["now", "30s ago", "1d ago", "in 3d", "—"]);
});
