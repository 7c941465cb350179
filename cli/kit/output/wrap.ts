import { widthOf } from "@svc/tui/text";

/* Lines that are longer than the terminal is wide end between words there; a terminal by itself breaks them wherever it has no room. */

/** Characters of a word that may be broken at its commas. */
const LONG = 40;
/** The program, as it may be called. */
const NAME = /^\(?(?:[\w./\\~-]*[/\\])?svc$/;
const FLAG = /^--[\w-]+$/;
/** What a command ends with in a sentence. */
const END = /[.:;,)]$/;
/** Of a command after its name: words of it, or what no sentence goes on with. */
const WORD = /^[a-z][a-z-]*[.:;,)]*$/;
const ARGUMENT = /^(-|<|\w+[_=@]|[\w-]*\|)[\w<>@=./|-]*[.:;,)]*$/;
/** Most commands are of as many words. */
const WORDS = 2;

/** A message in lines of at most `width` cells. What is drawn, with controls, and JSON are left as they are. */
export function fitted(text: string, width: number): string {
	const isDrawn = ["\r", "\u001b"].some((control) => text.includes(control));
	return isDrawn || text.startsWith("{") ? text : wrapped(text, width);
}

/** A text whose lines are at most `width` cells, as far as its words allow. What continues a line stands under its last column. */
export function wrapped(text: string, width: number): string {
	return text
		.split("\n")
		.flatMap((line) => (widthOf(line) <= width ? [line] : broken(line, width)))
		.join("\n");
}

function broken(line: string, width: number): readonly string[] {
	const [start = ""] = /^\s*/.exec(line) ?? [];
	// A row of help or of an error: a name, and what is said of it.
	const [row = ""] = /^(?:error: |\s+[^\s:]+: |\s*\S.*?\s{2,})(?=\S)/.exec(line) ?? [];
	const hanging = row.length > 0 && row.length <= width / 2 ? row.length : start.length;
	const lines: string[] = [];
	let current = start;
	for (const piece of piecesOf(line.slice(start.length))) {
		const isFirst = current.trim() === "";
		if (!isFirst && widthOf(current) + widthOf(piece) > width) {
			lines.push(current.trimEnd());
			current = " ".repeat(hanging) + piece.trimStart();
		} else current += piece;
	}
	return [...lines, current];
}

/** Words with the space before them; a command is one piece, and so is a flag with its value, so that they can be copied. */
function piecesOf(text: string): readonly string[] {
	const pieces: string[] = [];
	let isFlag = false;
	let command: ((word: string) => boolean) | undefined;
	for (const word of text.match(/\s*\S+/g) ?? []) {
		const plain = word.trim();
		const isJoined = command?.(plain) || isFlag;
		if (isJoined) pieces.push(`${pieces.pop()}${word}`);
		else pieces.push(...partsOf(word));
		isFlag = FLAG.test(plain);
		if (NAME.test(plain)) command = commandOf(WORDS);
		else if (!isJoined || END.test(plain)) command = undefined;
	}
	return pieces;
}

/** Tells of one word after the other whether the command goes on with it, once the name stands there. */
function commandOf(words: number): (word: string) => boolean {
	let left = words;
	return (word) => ARGUMENT.test(word) || (WORD.test(word) && left-- > 0);
}

/** A long list without spaces ends after a comma; an address is one word. */
function partsOf(word: string): readonly string[] {
	return word.length < LONG || word.includes("://") ? [word] : (word.match(/[^,]+,?/g) ?? [word]);
}
