import { GRAPHICS_ANSWER } from "../preview/layer.ts";
import type { Ground } from "../state/theme.ts";

/* Bytes of a terminal: keys are for Ink, which takes them apart; the mouse and what the terminal answers are for nobody else to see. */

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

/** What a chunk is made of, in its order. */
export type Part =
	/** Text and sequences of keys; a paste is whole, with its marks. */
	{ readonly type: "keys"; readonly text: string } | Exclude<Input, { type: "key" | "paste" }>;

interface Taken {
	/** Undefined: something that means nothing here, as an answer that nobody asked for. */
	readonly part: Part | undefined;
	readonly length: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const MOUSE = /^\u001b\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal sends.
const CSI = /^\u001b\[([0-9;:?<>=]*)([ -/]*)([@-~])/;
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
	push(chunk: Uint8Array): Part[];
	/**
	 * Whether something waits: a lone escape is the key, or the beginning of a sequence that the line cut in two; an answer that has begun
	 * goes on, however slow the line.
	 */
	readonly waits: "escape" | "answer" | undefined;
	/** No byte followed, so it was the key. */
	flush(): Part[];
}

export function createInputParser(): InputParser {
	const decoder = new TextDecoder();
	let rest = "";
	return {
		push(chunk) {
			rest += decoder.decode(chunk, { stream: true });
			const parts: Part[] = [];
			while (rest !== "") {
				const taken = takeOne(rest);
				if (taken === undefined) break;
				rest = rest.slice(taken.length);
				if (taken.part !== undefined) parts.push(taken.part);
			}
			return parts;
		},
		get waits() {
			if (rest === "" || rest.startsWith(PASTE_BEGINS)) return undefined;
			return BEGUN_ANSWER.test(rest) ? "answer" : "escape";
		},
		flush() {
			const wasKey = rest === ESC;
			rest = "";
			return wasKey ? [keys(ESC)] : [];
		},
	};
}

const keys = (text: string): Part => ({ type: "keys", text });

function takeOne(text: string): Taken | undefined {
	const end = text.indexOf(ESC);
	if (end === 0) return takeEscape(text);
	const length = end === -1 ? text.length : end;
	return { part: keys(text.slice(0, length)), length };
}

/** Undefined while the rest of the sequence is still to come. */
function takeEscape(text: string): Taken | undefined {
	if (text.startsWith(PASTE_BEGINS)) return takePaste(text);
	const report = MOUSE.exec(text);
	if (report !== null) return { part: mouse(report), length: report[0].length };
	const csi = CSI.exec(text);
	if (csi !== null) return { part: sequence(csi), length: csi[0].length };
	const answer = STRING.exec(text);
	if (answer !== null) {
		const [whole] = answer;
		return { part: whole === GRAPHICS_ANSWER ? { type: "graphics" } : ground(whole), length: whole.length };
	}
	if (UNFINISHED.test(text)) return undefined;
	// The key itself, or what terminals send before a letter while alt is held, or before that of a key.
	return { part: keys(ESC), length: 1 };
}

function takePaste(text: string): Taken | undefined {
	const end = text.indexOf(PASTE_ENDS);
	if (end !== -1) return { part: keys(text.slice(0, end + PASTE_ENDS.length)), length: end + PASTE_ENDS.length };
	return text.length > LONGEST_PASTE ? { part: keys(text + PASTE_ENDS), length: text.length } : undefined;
}

function mouse(report: RegExpExecArray): Part | undefined {
	const [, button, column, row, end] = report;
	const code = Number(button);
	if ((code & 64) !== 0) return { type: "wheel", lines: (code & 1) === 0 ? -WHEEL_LINES : WHEEL_LINES };
	const isPress = end === "M" && (code & 0b10_0011) === 0;
	return isPress ? { type: "click", column: Number(column) - 1, row: Number(row) - 1 } : undefined;
}

function sequence([whole, parameters = "", , final]: RegExpExecArray): Part | undefined {
	if (final === "t") return cellSize(parameters);
	// What every terminal answers where it is asked what it is.
	return final === "c" && parameters.startsWith("?") ? { type: "answered" } : keys(whole);
}

/** The answer to a question for the size of a cell; source: xterm's control sequences, XTWINOPS. */
function cellSize(parameters: string): Part | undefined {
	const [what, height = 0, width = 0] = parameters.split(";").map(Number);
	const isSize = what === 6 && [width, height].every((side) => side >= 1 && side <= LARGEST_CELL);
	return isSize ? { type: "cell-size", width, height } : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal sends.
const GROUND = /^\u001b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i;

/** The answer to a question for the colour of the ground (OSC 11), by how bright it looks. */
function ground(answer: string): Part | undefined {
	const parts = GROUND.exec(answer)?.slice(1);
	if (parts === undefined) return undefined;
	const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
	return { type: "ground", ground: 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark" };
}
