import type { Key } from "ink";
import type { Input } from "./input.ts";

type Pressed = Extract<Input, { type: "key" }>;

/** What terminals send for a key and alt; any other letter behind an escape is two keys. */
const WITH_ALT: ReadonlySet<string> = new Set(["b", "f", "d"]);

/** With ctrl or alt held: over whole words, as in a shell. */
const OVER_WORDS: ReadonlySet<string> = new Set(["right", "left", "backspace", "delete"]);

const CONTROLS: Readonly<Record<string, string>> = { "\r": "enter", "\n": "enter", "\t": "tab" };

const key = (name: string, ctrl = false): Pressed => ({ type: "key", name, ctrl });

/** The keys of what Ink has read, in order: it tells what came in one chunk as one text. */
export function keysOf(input: string, pressed: Key): readonly Pressed[] {
	const name = nameOf(pressed);
	if (name === "escape" && pressed.meta) return [key("escape"), key("escape")];
	if (name !== undefined) {
		const isOverWord = (pressed.ctrl || pressed.meta) && OVER_WORDS.has(name);
		return [key(isOverWord ? `word-${name}` : name)];
	}
	if (pressed.ctrl) return [key(input, true)];
	if (pressed.meta && WITH_ALT.has(input)) return [key(`alt-${input}`)];
	const typed = [...input].map(typedKey);
	return pressed.meta ? [key("escape"), ...typed] : typed;
}

function nameOf(pressed: Key): string | undefined {
	if (pressed.upArrow) return "up";
	if (pressed.downArrow) return "down";
	if (pressed.leftArrow) return "left";
	if (pressed.rightArrow) return "right";
	if (pressed.pageUp) return "pageup";
	if (pressed.pageDown) return "pagedown";
	if (pressed.return) return "enter";
	if (pressed.tab) return pressed.shift ? "backtab" : "tab";
	const { home, end, escape: isEscape, backspace } = pressed;
	return Object.entries({ home, end, escape: isEscape, backspace, delete: pressed.delete }).find(([, is]) => is)?.[0];
}

function typedKey(character: string): Pressed {
	const code = character.codePointAt(0) ?? 0;
	return code < 32 && CONTROLS[character] === undefined
		? key(String.fromCharCode(code + 96), true)
		: key(CONTROLS[character] ?? character);
}
