/* Pictures as terminals take them. */

/** A picture as it is sent to the terminal. */
export type Drawing =
	/** Lines of styled characters. */
	| { readonly kind: "cells"; readonly lines: readonly string[]; readonly columns: number; readonly rows: number }
	/** A PNG that the terminal draws itself, over so many cells. */
	| { readonly kind: "png"; readonly png: Uint8Array; readonly columns: number; readonly rows: number };

type Png = Extract<Drawing, { kind: "png" }>;

/** A drawing, and the cell of its upper left corner, counted from 0. */
export interface Placed {
	readonly drawing: Drawing;
	readonly row: number;
	readonly column: number;
}

/* Kitty's graphics protocol, which Ghostty and WezTerm speak too. Source: sw.kovidgoyal.net/kitty/graphics-protocol */

/** The most of a picture, in base64, that one sequence may carry. */
const CHUNK = 4_096;
/** Under the text, so that what is written over a picture can be read. */
const LAYER = -1;
const QUERY_ID = 31;

/** Asks whether pictures can be shown, with one pixel that never is; a terminal that knows nothing of this stays silent. */
export const GRAPHICS_QUERY = sequence(`i=${QUERY_ID},s=1,v=1,a=q,t=d,f=24`, "AAAA");
export const GRAPHICS_ANSWER = sequence(`i=${QUERY_ID}`, "OK");

/** Shows a PNG from the cursor on, over exactly its cells; the cursor stays, and the terminal answers nothing (`q=2`). */
function transmit({ png, columns, rows }: Png, id: number): string {
	const base64 = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString("base64");
	const count = Math.max(1, Math.ceil(base64.length / CHUNK));
	const first = `a=T,f=100,t=d,i=${id},p=1,c=${columns},r=${rows},C=1,z=${LAYER},`;
	return Array.from({ length: count }, (_, index) => {
		const more = index < count - 1 ? 1 : 0;
		return sequence(`${index === 0 ? first : ""}q=2,m=${more}`, base64.slice(index * CHUNK, (index + 1) * CHUNK));
	}).join("");
}

function sequence(keys: string, payload = ""): string {
	return `\u001b_G${keys}${payload === "" ? "" : `;${payload}`}\u001b\\`;
}

/** Shows a PNG where it belongs; the cursor is afterwards where it was. */
export function show({ drawing, row, column }: Placed & { readonly drawing: Png }, id: number): string {
	return `\u001b7\u001b[${row + 1};${column + 1}H${transmit(drawing, id)}\u001b8`;
}

/** Removes the picture from the screen and from the terminal's memory. */
export function remove(id: number): string {
	return sequence(`a=d,d=I,i=${id},q=2`);
}
