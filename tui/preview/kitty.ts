import type { Drawing } from "./drawing.ts";

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
export function transmit({ png, columns, rows }: Extract<Drawing, { kind: "png" }>, id: number): string {
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

/** Takes it off the screen and out of the terminal's memory. */
export function remove(id: number): string {
	return sequence(`a=d,d=I,i=${id},q=2`);
}
