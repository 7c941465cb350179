import type { Placed } from "./drawing.ts";
import { remove, transmit } from "./kitty.ts";

/* The picture is no part of the frame: it is written over the blank cells that the frame leaves for it. */

const SAVE_CURSOR = "\u001b7";
const RESTORE_CURSOR = "\u001b8";

interface Layer {
	/** What to write so that this picture, and no other, is on the screen; empty where it is there already. */
	show(next: Placed | undefined, frameWasWritten: boolean): string;
	/** What to write once the screen has been cleared, or before it is given back. */
	clear(): string;
}

/** `id` is how the terminal keeps the picture: no other program's. */
export function createLayer(id: number): Layer {
	let shown: Placed | undefined;

	/** A frame has gone over characters, but not over what the terminal draws itself. */
	function leftOver(next: Placed | undefined, frameWasWritten: boolean): string {
		if (shown === undefined || isSame(shown, next)) return "";
		return shown.drawing.kind === "cells" && frameWasWritten ? "" : erased(shown, id);
	}

	return {
		show(next, frameWasWritten) {
			const isThere = isSame(shown, next) && (next?.drawing.kind === "png" || !frameWasWritten);
			const text = leftOver(next, frameWasWritten) + (next === undefined || isThere ? "" : drawn(next, id));
			shown = next;
			return text === "" ? "" : SAVE_CURSOR + text + RESTORE_CURSOR;
		},
		clear() {
			const text = shown?.drawing.kind === "png" ? remove(id) : "";
			shown = undefined;
			return text;
		},
	};
}

function isSame(one: Placed | undefined, other: Placed | undefined): boolean {
	return one?.drawing === other?.drawing && one?.row === other?.row && one?.column === other?.column;
}

function erased({ drawing, row, column }: Placed, id: number): string {
	if (drawing.kind === "png") return remove(id);
	const blank = " ".repeat(drawing.columns);
	return drawing.lines.map((_, index) => at(row + index, column) + blank).join("");
}

function at(row: number, column: number): string {
	return `\u001b[${row + 1};${column + 1}H`;
}

function drawn({ drawing, row, column }: Placed, id: number): string {
	if (drawing.kind === "png") return at(row, column) + transmit(drawing, id);
	return drawing.lines.map((line, index) => at(row + index, column) + line).join("");
}
