import { describe, expect, test } from "bun:test";
import { key, keys, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import type { State } from "../model.ts";
import { edited, lineOf } from "./line.ts";

/** The line after the keys, with its caret as a bar. */
function after(text: string, ...names: readonly string[]): string {
	const line = names.reduce((one, name) => edited(one, name, 40) ?? one, lineOf(text));
	const characters = Array.from(line.text);
	return `${characters.slice(0, line.caret).join("")}|${characters.slice(line.caret).join("")}`;
}

describe("a line that is typed", () => {
	test.each([
		[["ctrl-u"], "|"],
		[["left", "left", "ctrl-u"], "|ld"],
		[["ctrl-a", "ctrl-k"], "|"],
		[["ctrl-w"], "hello |"],
		[["ctrl-w", "ctrl-w", "ctrl-w"], "|"],
		[["word-backspace"], "hello |"],
		[["ctrl-a", "X"], "X|hello big-world"],
		[["home", "ctrl-e", "!"], "hello big-world!|"],
		[["word-left"], "hello big-|world"],
		[["word-left", "word-left", "word-left", "word-left"], "|hello big-world"],
		[["home", "word-right"], "hello| big-world"],
		[["home", "word-right", "word-delete"], "hello|-world"],
		[["home", "ctrl-d", "delete"], "|llo big-world"],
		[["ctrl-b", "ctrl-b", "ctrl-f", "backspace"], "hello big-wor|d"],
	])("%j [tui.line.keys]", (names, shown) => {
		expect(after("hello big-world", ...names)).toBe(shown);
	});

	test("is no longer than it may be, and no other key edits it [tui.line.bounds]", () => {
		expect(after("x".repeat(40), "y")).toBe(`${"x".repeat(40)}|`);
		for (const name of ["enter", "ctrl-x", "pageup"]) expect(edited(lineOf("a"), name, 40)).toBeUndefined();
	});
});

describe("wherever something is typed", () => {
	const queue = queueOf([sampleItem("img_1"), sampleItem("img_2")]);
	const clear = [...keys("a", "b"), key("u", true), ...keys("2")];
	const filterOf = ({ lists, screen }: State) => lists[screen].filter;

	test("ctrl-u clears it, and the caret goes where the keys move it [tui.line.everywhere]", () => {
		expect(filterOf(play(queue, ...keys("/"), ...clear).state)).toBe("2");
		expect(filterOf(play(queue, ...keys("/", "2", "home", "_")).state)).toBe("_2");
		expect(play(queue, ...keys("y", "/")).state.notice).toBeUndefined();
		expect(play(queue, ...keys(":"), ...clear).state.overlay).toMatchObject({ query: "2" });
		const asked = play(queueOf([], { screen: "signing-keys" }), ...keys("c"), ...clear).state;
		expect(asked.overlay).toMatchObject({ kind: "text", typed: "2" });
	});

	test("what a filter shows, and the entries of the palette, are chosen while one types [tui.line.choose]", () => {
		const many = queueOf(Array.from({ length: 60 }, (_, index) => sampleItem(`img_${index}`)));
		const filtered = play(many, ...keys("/", "5", "down", "down", "up", "enter")).state;
		expect([filterOf(filtered), filtered.lists.moderation.cursor]).toEqual(["5", 1]);
		const palette = play(many, ...keys(":", "pagedown"), { type: "wheel", lines: 3 }, key("n", true)).state;
		expect(palette.overlay).toMatchObject({ kind: "search", cursor: 14 });
		expect(play(palette, ...keys("pageup", "pageup")).state.overlay).toMatchObject({ cursor: 0 });
	});

	test("alt with a letter moves by words in what is typed, and is the escape key and the letter where nothing is [tui.line.alt]", () => {
		const typed = play(queue, ...keys("/", "a", " ", "b", "alt-b", "_")).state;
		expect(filterOf(typed)).toBe("a _b");
		const left = play(queue, ...keys("?", "alt-f")).state;
		expect([left.overlay, left.pane]).toEqual([undefined, "picture"]);
	});

	test("outside of it, ctrl-f and ctrl-b are a page down and up, as in a pager [tui.line.pages]", () => {
		const many = queueOf(Array.from({ length: 60 }, (_, index) => sampleItem(`img_${index}`)));
		const down = play(many, key("f", true)).state;
		expect(down.lists.moderation.cursor).toBe(play(many, key("pagedown")).state.lists.moderation.cursor);
		expect(play(down, key("b", true)).state.lists.moderation.cursor).toBe(0);
	});
});
