/* A line of text that is being typed, with the keys that people know from their shell. */

export interface TypedLine {
	readonly text: string;
	/** Characters before the caret. */
	readonly caret: number;
}

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Characters as people see them. */
export function charactersOf(text: string): readonly string[] {
	return [...segments.segment(text)].map(({ segment }) => segment);
}

/** The text with the caret behind it. */
export function lineOf(text: string): TypedLine {
	return { text, caret: charactersOf(text).length };
}

/** Other names of the same keys: those of readline, which shells and their kin share. */
const SAME: Readonly<Record<string, string>> = {
	"ctrl-a": "home",
	"ctrl-b": "left",
	"ctrl-d": "delete",
	"ctrl-e": "end",
	"ctrl-f": "right",
	"ctrl-w": "word-backspace",
	"alt-b": "word-left",
	"alt-d": "word-delete",
	"alt-f": "word-right",
};

/** The line after a key; undefined for a key that edits nothing. A line that would get longer than `longest` characters stays as it is. */
export function edited(line: TypedLine, key: string, longest: number): TypedLine | undefined {
	const name = SAME[key] ?? key;
	const characters = charactersOf(line.text);
	const place = placeAfter(characters, line.caret, name);
	if (place !== undefined) return { text: line.text, caret: Math.max(0, Math.min(place, characters.length)) };
	const removed = removedBy(characters, line.caret, name);
	if (removed !== undefined) return spliced(line, removed[0], removed[1], "", longest);
	return [...key].length === 1 ? inserted(line, key, longest) : undefined;
}

/** The line with a text at its caret. */
export function inserted(line: TypedLine, text: string, longest: number): TypedLine {
	return spliced(line, line.caret, line.caret, text, longest);
}

function placeAfter(characters: readonly string[], caret: number, name: string): number | undefined {
	const places: Readonly<Record<string, () => number>> = {
		left: () => caret - 1,
		right: () => caret + 1,
		home: () => 0,
		end: () => characters.length,
		"word-left": () => wordBefore(characters, caret, isInWord),
		"word-right": () => wordBehind(characters, caret),
	};
	return places[name]?.();
}

/** From which character to which one a key takes away. */
function removedBy(characters: readonly string[], caret: number, name: string): readonly [number, number] | undefined {
	const end = characters.length;
	const parts: Readonly<Record<string, () => readonly [number, number]>> = {
		backspace: () => [Math.max(0, caret - 1), caret],
		delete: () => [caret, Math.min(end, caret + 1)],
		"ctrl-u": () => [0, caret],
		"ctrl-k": () => [caret, end],
		// A shell's word ends at a space, so that one key takes an address or a path away.
		"word-backspace": () => [wordBefore(characters, caret, (one) => one.trim() !== ""), caret],
		"word-delete": () => [caret, wordBehind(characters, caret)],
	};
	return parts[name]?.();
}

const isInWord = (character: string) => /[\p{L}\p{N}_]/u.test(character);

function wordBefore(characters: readonly string[], caret: number, isOfWord: (character: string) => boolean): number {
	let at = caret;
	while (at > 0 && !isOfWord(characters[at - 1] ?? "")) at--;
	while (at > 0 && isOfWord(characters[at - 1] ?? "")) at--;
	return at;
}

function wordBehind(characters: readonly string[], caret: number): number {
	let at = caret;
	while (at < characters.length && !isInWord(characters[at] ?? "")) at++;
	while (at < characters.length && isInWord(characters[at] ?? "")) at++;
	return at;
}

function spliced(line: TypedLine, from: number, to: number, text: string, longest: number): TypedLine {
	const characters = charactersOf(line.text);
	const before = characters.slice(0, from).join("") + text;
	const whole = before + characters.slice(to).join("");
	return whole.length > longest ? line : { text: whole, caret: charactersOf(before).length };
}
