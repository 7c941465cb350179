import { printableLine } from "@svc/base/text";
import stringWidth from "string-width";

// Joiners, variants of emoji, skin tones and key caps: terminals do not agree on how wide they make what stands before them.
const UNSURE = /\p{Default_Ignorable_Code_Point}|\p{Emoji_Modifier}|\u20e3/gu;
const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Matches most text; each of these characters is one cell. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Frame after frame asks for the widths of nearly the same texts. */
const widths = new Map<string, number>();
const MAX_WIDTHS = 2_000;

/** The text as one line that moves no cursor, and is as wide on every terminal. */
export function oneLine(text: string): string {
	return apart(printableLine(text).replace(UNSURE, ""));
}

/** Thai and Lao write one vowel that is drawn around its letter as one sign; it has a long form of two, and tones stand between them. */
const THAI_AM = /([\u0e48-\u0e4b]*)\u0e33/g;
const LAO_AM = /([\u0ec8-\u0ecb]*)\u0eb3/g;
/** Scripts in which several letters can be one cluster. */
const CLUSTERED = /[\u0900-\u0e7f\u0f00-\u109f\u1700-\u1cff\ua800-\uabff\u{10a00}-\u{11fff}]/u;
const LATER_LETTER = /(?<=.)(?=\p{L})/gsu;
/** A vowel or an ending of Korean that stands behind no letter which it goes with. */
const STRAY_JAMO =
	/(?<![\u1100-\u115f\ua960-\ua97c])[\u1160-\u11a7\ud7b0-\ud7c6][\u11a8-\u11ff\ud7cb-\ud7fb]*|(?<![\u1160-\u11a7\ud7b0-\ud7c6\uac00-\ud7a3])[\u11a8-\u11ff\ud7cb-\ud7fb]/g;

/**
 * The same text so that programs which count clusters (Ink, string-width) and terminals, which count characters, find it as wide: a sign of Thai and Lao in
 * its long form, letters of one cluster kept apart by what has no width, and a replacement for what some count and some do not.
 */
function apart(text: string): string {
	if (PRINTABLE_ASCII.test(text)) return text;
	const long = text.replace(THAI_AM, "\u0e4d$1\u0e32").replace(LAO_AM, "\u0ecd$1\u0eb2").replace(STRAY_JAMO, "\ufffd");
	if (!CLUSTERED.test(long)) return long;
	return Array.from(segments.segment(long), ({ segment }) => segment.replace(LATER_LETTER, "\u200c")).join("");
}

/** Counts cells on the screen, which are neither characters nor code units. */
export function widthOf(text: string): number {
	if (PRINTABLE_ASCII.test(text)) return text.length;
	const known = widths.get(text);
	if (known !== undefined) return known;
	if (widths.size >= MAX_WIDTHS) widths.clear();
	const width = stringWidth(apart(text));
	widths.set(text, width);
	return width;
}

/** Cuts to at most `width` cells; an ellipsis stands for the part that is cut off. */
export function cut(text: string, width: number): string {
	if (widthOf(text) <= width) return text;
	let kept = "";
	let left = width - 1;
	for (const { segment } of segments.segment(text)) {
		left -= widthOf(segment);
		if (left < 0) break;
		kept += segment;
	}
	return width > 0 ? `${kept}…` : "";
}

/** Cuts or pads to exactly `width` cells. */
export function cell(text: string, width: number): string {
	const short = cut(oneLine(text), width);
	return short + " ".repeat(Math.max(0, width - widthOf(short)));
}

/** Lines of at most `width` cells, two at least, broken between words where there are any. */
export function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = "";
	const words = oneLine(text).split(/\s+/);
	for (const word of words.flatMap((one) => pieces(one, Math.max(2, width)))) {
		const longer = line === "" ? word : `${line} ${word}`;
		if (widthOf(longer) <= width) line = longer;
		else {
			if (line !== "") lines.push(line);
			line = word;
		}
	}
	return [...lines, line];
}

/** Parts of at most `width` cells, of which none is left out. */
function pieces(word: string, width: number): string[] {
	if (widthOf(word) <= width) return [word];
	const parts: string[] = [];
	let part = "";
	for (const { segment } of segments.segment(word)) {
		if (part !== "" && widthOf(part + segment) > width) {
			parts.push(part);
			part = "";
		}
		part += segment;
	}
	return [...parts, part];
}
