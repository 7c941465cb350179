/* Text on its way to a terminal: what comes from the service may have been written by anybody. */

// C0 and C1 controls can drive a terminal; bidirectional marks, overrides and isolates can reorder what is read.
const CONTROLS = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const BREAKS = /[\t\n\r\u2028\u2029]+/g;

/** One line without anything that a terminal would obey. */
export function plainLine(text: string): string {
	return text.replace(BREAKS, " ").replace(CONTROLS, "");
}

/** Valid JSON in which even the controls that JSON allows raw (DEL and C1) are escaped. */
export function safeJson(value: unknown, indent?: number): string {
	const text = JSON.stringify(value ?? null, null, indent);
	return text.replace(/[\u007f-\u009f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// East Asian wide and fullwidth blocks; pictures are recognised by property.
const WIDE =
	/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;
const PICTURE = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u{20000}-\u{3fffd}]/u;
const INVISIBLE = /^[\p{Mark}\p{Format}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;

let segmenter: Intl.Segmenter | undefined;

function characters(text: string): string[] {
	segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	return Array.from(segmenter.segment(text), (part) => part.segment);
}

function characterWidth(character: string): number {
	if (INVISIBLE.test(character)) return 0;
	return WIDE.test(character) || PICTURE.test(character) ? 2 : 1;
}

/** Cells that a terminal needs for it. */
export function displayWidth(text: string): number {
	if (ASCII.test(text)) return text.length;
	return characters(text).reduce((width, character) => width + characterWidth(character), 0);
}

/** At most `width` cells; what is cut off is marked by an ellipsis. */
export function truncate(text: string, width: number): string {
	if (displayWidth(text) <= width) return text;
	let kept = "";
	let used = 0;
	for (const character of characters(text)) {
		used += characterWidth(character);
		if (used > width - 1) break;
		kept += character;
	}
	return `${kept}…`;
}

export function padEnd(text: string, width: number): string {
	return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}
