import { GRAPHICS_ANSWER } from "../preview/layer.ts";
import type { Ground } from "../state/theme.ts";

/* Bytes of a terminal, taken apart: a chunk may hold several keys, half a key, or what the mouse did between two. */

export type Input =
	| { readonly type: "key"; readonly name: string; readonly ctrl: boolean }
	| { readonly type: "paste"; readonly text: string }
	| { readonly type: "click"; readonly column: number; readonly row: number }
	| { readonly type: "wheel"; readonly lines: number }
	/** The terminal can show pictures itself. */
	| { readonly type: "graphics" }
	/** What the terminal writes on. */
	| { readonly type: "ground"; readonly ground: Ground }
	/** The terminal has answered whatever it was asked before. */
	| { readonly type: "answered" }
	/** The size in pixels. */
	| { readonly type: "cell-size"; readonly width: number; readonly height: number };

const ESC = "\u001b";
const PASTE_BEGINS = `${ESC}[200~`;
const PASTE_ENDS = `${ESC}[201~`;
/** A paste that never ends must not fill the memory. */
const LONGEST_PASTE = 100_000;
const WHEEL_LINES = 3;

const NAMES: Readonly<Record<string, string>> = {
	A: "up",
	B: "down",
	C: "right",
	D: "left",
	H: "home",
	F: "end",
	Z: "backtab",
	"1~": "home",
	"3~": "delete",
	"4~": "end",
	"5~": "pageup",
	"6~": "pagedown",
	"7~": "home",
	"8~": "end",
};

/** With ctrl or alt held: over whole words, as in a shell. */
const OVER_WORDS: Readonly<Record<string, string>> = {
	right: "word-right",
	left: "word-left",
	backspace: "word-backspace",
	delete: "word-delete",
};
const WITH_ALT_OR_CTRL: ReadonlySet<string> = new Set(["3", "5", "7"]);

/** What terminals send for alt and these letters. */
const WITH_ALT: Readonly<Record<string, string>> = {
	b: "alt-b",
	f: "alt-f",
	d: "alt-d",
	"\u007f": "word-backspace",
	"\b": "word-backspace",
};

const PLAIN: Readonly<Record<string, string>> = {
	"\r": "enter",
	"\n": "enter",
	"\t": "tab",
	"\u007f": "backspace",
	"\b": "backspace",
};

interface Taken {
	/** Undefined: something that means nothing here, as an answer of the terminal. */
	readonly input: Input | undefined;
	readonly length: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const MOUSE = /^\u001b\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const CSI = /^\u001b\[([0-9;:?<>=]*)([ -/]*)([@-~])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const SS3 = /^\u001bO([A-Za-z])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const STRING = /^\u001b[P_\]^X][^\u001b\u0007]*(?:\u0007|\u001b\\)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const UNFINISHED = /^\u001b(?:\[[0-9;:?<>=]*[ -/]*|O|[P_\]^X][^\u001b\u0007]*\u001b?)?$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const BEGUN_ANSWER = /^\u001b[P_\]^X][\dG>]/;

/** No cell is larger: a picture for it would be the larger, too. */
const LARGEST_CELL = 100;

interface InputParser {
	/** Everything that is complete, in order. */
	push(chunk: Uint8Array): Input[];
	/**
	 * Whether something waits: a lone escape is the key, or the beginning of a sequence that the line cut in two; an answer that has begun
	 * goes on, however slow the line.
	 */
	readonly waits: "escape" | "answer" | undefined;
	/** No byte followed, so it was the key. */
	flush(): Input[];
}

export function createInputParser(): InputParser {
	const decoder = new TextDecoder();
	let rest = "";
	return {
		push(chunk) {
			rest += decoder.decode(chunk, { stream: true });
			const inputs: Input[] = [];
			while (rest !== "") {
				const taken = takeOne(rest);
				if (taken === undefined) break;
				rest = rest.slice(taken.length);
				if (taken.input !== undefined) inputs.push(taken.input);
			}
			return inputs;
		},
		get waits() {
			if (rest === "" || rest.startsWith(PASTE_BEGINS)) return undefined;
			return BEGUN_ANSWER.test(rest) ? "answer" : "escape";
		},
		flush() {
			const wasKey = rest === ESC;
			rest = "";
			return wasKey ? [key("escape")] : [];
		},
	};
}

function takeOne(text: string): Taken | undefined {
	const [character = ""] = text;
	if (character === ESC) return takeEscape(text);
	const name = PLAIN[character];
	if (name !== undefined) return { input: key(name), length: 1 };
	const code = character.codePointAt(0) ?? 0;
	const isControl = code < 32;
	const letter = isControl ? String.fromCharCode(code + 96) : character;
	return { input: key(letter, isControl), length: character.length };
}

/** Undefined while the rest of the sequence is still to come. */
function takeEscape(text: string): Taken | undefined {
	if (text.startsWith(PASTE_BEGINS)) return takePaste(text);
	const report = MOUSE.exec(text);
	if (report !== null) return { input: mouse(report), length: report[0].length };
	const csi = CSI.exec(text);
	if (csi !== null) return { input: sequence(csi[1] ?? "", csi[3] ?? ""), length: csi[0].length };
	const ss3 = SS3.exec(text);
	if (ss3 !== null) return { input: named("", ss3[1] ?? ""), length: ss3[0].length };
	const answer = STRING.exec(text);
	if (answer !== null) {
		const [whole] = answer;
		return { input: whole === GRAPHICS_ANSWER ? { type: "graphics" } : ground(whole), length: whole.length };
	}
	return takeEscapeKey(text);
}

/** The key itself, or what terminals send before a letter while alt is held. */
function takeEscapeKey(text: string): Taken | undefined {
	const word = WITH_ALT[text[1] ?? ""];
	if (word !== undefined) return { input: key(word), length: 2 };
	return UNFINISHED.test(text) ? undefined : { input: key("escape"), length: 1 };
}

function takePaste(text: string): Taken | undefined {
	const end = text.indexOf(PASTE_ENDS);
	const isOver = end === -1 && text.length > LONGEST_PASTE;
	if (end === -1 && !isOver) return undefined;
	const pasted = text.slice(PASTE_BEGINS.length, isOver ? undefined : end);
	return { input: { type: "paste", text: pasted }, length: isOver ? text.length : end + PASTE_ENDS.length };
}

function mouse(report: RegExpExecArray): Input | undefined {
	const [, button, column, row, end] = report;
	const code = Number(button);
	if ((code & 64) !== 0) return { type: "wheel", lines: (code & 1) === 0 ? -WHEEL_LINES : WHEEL_LINES };
	const isPress = end === "M" && (code & 0b10_0011) === 0;
	return isPress ? { type: "click", column: Number(column) - 1, row: Number(row) - 1 } : undefined;
}

function sequence(parameters: string, final: string): Input | undefined {
	if (final === "t") return cellSize(parameters);
	// What every terminal answers where it is asked what it is.
	if (final === "c" && parameters.startsWith("?")) return { type: "answered" };
	return named(parameters, final);
}

function named(parameters: string, final: string): Input | undefined {
	const [first = "", modifier = ""] = parameters.split(";");
	const name = NAMES[final === "~" ? `${first}~` : final];
	if (name === undefined) return undefined;
	return key((WITH_ALT_OR_CTRL.has(modifier) ? OVER_WORDS[name] : undefined) ?? name);
}

/** The answer to a question for the size of a cell; source: xterm's control sequences, XTWINOPS. */
function cellSize(parameters: string): Input | undefined {
	const [what, height = 0, width = 0] = parameters.split(";").map(Number);
	const isSize = what === 6 && [width, height].every((side) => side >= 1 && side <= LARGEST_CELL);
	return isSize ? { type: "cell-size", width, height } : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal sends.
const GROUND = /^\u001b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i;

/** The answer to a question for the colour of the ground (OSC 11), by how bright it looks. */
function ground(answer: string): Input | undefined {
	const parts = GROUND.exec(answer)?.slice(1);
	if (parts === undefined) return undefined;
	const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
	return { type: "ground", ground: 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark" };
}

function key(name: string, ctrl = false): Input {
	return { type: "key", name, ctrl };
}
