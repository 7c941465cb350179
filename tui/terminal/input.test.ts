import { describe, expect, test } from "bun:test";
import { createInputParser, type Input } from "./input.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (...chunks: readonly string[]): Input[] => {
	const parser = createInputParser();
	return chunks.flatMap((chunk) => parser.push(encode(chunk)));
};
const named = (inputs: readonly Input[]) => inputs.map((input) => (input.type === "key" ? input.name : input.type));

describe("keys", () => {
	test("a chunk of three letters is three keys [tui.input.chunk]", () => {
		expect(named(parse("jjj"))).toEqual(["j", "j", "j"]);
	});

	test.each([
		["\u001b[A\u001b[B", ["up", "down"]],
		["\u001bOA\u001bOB", ["up", "down"]],
		["\u001b[5~\u001b[6~", ["pageup", "pagedown"]],
		["\u001b[1;2C\u001b[1;5C\u001b[1;3D", ["right", "word-right", "word-left"]],
		["\u001bb\u001bf\u001bd\u001b\u007f", ["alt-b", "alt-f", "alt-d", "word-backspace"]],
		["\u001b[3;5~", ["word-delete"]],
		["\r\t\u007f ", ["enter", "tab", "backspace", " "]],
		["\u001b[Zq", ["backtab", "q"]],
		["日é😀", ["日", "é", "😀"]],
	])("%j [tui.input.names]", (text, names) => {
		expect(named(parse(text))).toEqual(names);
	});

	test("a control character is its letter with ctrl [tui.input.ctrl]", () => {
		expect(parse("\u0003")).toEqual([{ type: "key", name: "c", ctrl: true }]);
	});

	test("sequences and characters may be cut anywhere [tui.input.split]", () => {
		expect(named(parse("\u001b", "[", "A", "j"))).toEqual(["up", "j"]);
		const parser = createInputParser();
		const bytes = encode("日");
		expect(named([...bytes].flatMap((byte) => parser.push(Uint8Array.of(byte))))).toEqual(["日"]);
	});

	test("an escape that nothing follows is the key, one that a letter follows is both [tui.input.escape]", () => {
		const parser = createInputParser();
		expect([parser.push(encode("\u001b")), parser.waits]).toEqual([[], "escape"]);
		expect(named(parser.flush())).toEqual(["escape"]);
		expect(parser.waits).toBeUndefined();
		expect(named(parse("\u001bj"))).toEqual(["escape", "j"]);
	});
});

describe("everything else", () => {
	test("pasted text is no key, also in several chunks [tui.input.paste]", () => {
		expect(parse("a\u001b[200~lbq", "\u001b[A 1\u001b[201~j")).toEqual([
			{ type: "key", name: "a", ctrl: false },
			{ type: "paste", text: "lbq\u001b[A 1" },
			{ type: "key", name: "j", ctrl: false },
		]);
	});

	test("a paste without an end is cut off [tui.input.paste-endless]", () => {
		expect(parse(`\u001b[200~${"x".repeat(200_000)}`)).toHaveLength(1);
	});

	test("presses and the wheel are told, the rest of the mouse is swallowed [tui.input.mouse]", () => {
		expect(parse("\u001b[<0;3;4Mj\u001b[<0;3;4m\u001b[<64;1;1M\u001b[<65;1;1M\u001b[<35;9;9M")).toEqual([
			{ type: "click", column: 2, row: 3 },
			{ type: "key", name: "j", ctrl: false },
			{ type: "wheel", lines: -3 },
			{ type: "wheel", lines: 3 },
		]);
	});

	test("answers of the terminal are no keys [tui.input.answers]", () => {
		const answers = "\u001b_Gi=1;OK\u001b\\\u001b]4;1;rgb:00/00/00\u0007\u001b]11;rgb:x/y/z\u0007\u001b[12;1R";
		expect(named(parse(`${answers}j`))).toEqual(["j"]);
		expect(parse("\u001b[?62;4c")).toEqual([{ type: "answered" }]);
	});

	test("the ground is light or dark by how bright it looks, in whatever digits it comes [tui.input.ground]", () => {
		const groundOf = (colour: string) => parse(`\u001b]11;${colour}\u001b\\`);
		for (const colour of ["rgb:ffff/ffff/ffff", "rgb:fd/f6/e3", "rgba:f/f/f/f", "rgb:0000/ffff/0000"]) {
			expect(groundOf(colour)).toEqual([{ type: "ground", ground: "light" }]);
		}
		for (const colour of ["rgb:0000/0000/0000", "rgb:28/28/28", "rgb:0000/0000/ffff"]) {
			expect(groundOf(colour)).toEqual([{ type: "ground", ground: "dark" }]);
		}
	});

	test("an answer that a slow line cuts in two is awaited longer than the escape key, and leaves no letters behind [tui.input.slow-answer]", () => {
		const parser = createInputParser();
		expect([parser.push(encode("\u001b]11;rgb:ff")), parser.waits]).toEqual([[], "answer"]);
		expect(parser.push(encode("ff/ffff/ffff\u001b\\"))).toEqual([{ type: "ground", ground: "light" }]);
		parser.push(encode("\u001b]"));
		expect(parser.waits).toBe("escape");
	});

	test("the answers that were asked for are told, whole ones of sensible numbers only [tui.input.graphics]", () => {
		const yes = "\u001b_Gi=31;OK\u001b\\";
		expect(parse(`j${yes.slice(0, 5)}`, yes.slice(5), "\u001b[6;20;10t")).toEqual([
			{ type: "key", name: "j", ctrl: false },
			{ type: "graphics" },
			{ type: "cell-size", width: 10, height: 20 },
		]);
		expect(parse("\u001b_Gi=31;EINVAL\u001b\\\u001b[6;0;10t\u001b[6;900;10t\u001b[4;20;10t\u001b[6t")).toEqual([]);
	});
});
