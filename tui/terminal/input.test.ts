import { describe, expect, test } from "bun:test";
import { createInputParser, type Part } from "./input.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (...chunks: readonly string[]): Part[] => {
	const parser = createInputParser();
	return chunks.flatMap((chunk) => parser.push(encode(chunk)));
};
describe("what is no key", () => {
	test("presses and the wheel are told, the rest of the mouse is swallowed [tui.input.mouse]", () => {
		expect(parse("\u001b[<0;3;4Mj\u001b[<0;3;4m\u001b[<64;1;1M\u001b[<65;1;1M\u001b[<35;9;9M")).toEqual([
			{ type: "click", column: 2, row: 3 },
			{ type: "keys", text: "j" },
			{ type: "wheel", lines: -3 },
			{ type: "wheel", lines: 3 },
		]);
	});

	test("answers of the terminal are no keys [tui.input.answers]", () => {
		const answers = "\u001b_Gi=1;OK\u001b\\\u001b]4;1;rgb:00/00/00\u0007\u001b]11;rgb:x/y/z\u0007\u001b[12;1R";
		expect(parse(`${answers}j`).at(-1)).toEqual({ type: "keys", text: "j" });
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
			{ type: "keys", text: "j" },
			{ type: "graphics" },
			{ type: "cell-size", width: 10, height: 20 },
		]);
		expect(parse("\u001b_Gi=31;EINVAL\u001b\\\u001b[6;0;10t\u001b[6;900;10t\u001b[4;20;10t\u001b[6t")).toEqual([]);
	});
});
