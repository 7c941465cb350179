import type { Image } from "./images.ts";

/* The words by which an image is found: those of its file name, its labels and its caption, in any case and without accents. */

/** Of one image. */
const WORDS_MAX = 100;
/** Characters of one word; what is longer is found by its beginning. */
const LENGTH_MAX = 40;

/** Scripts that put no space between words: each letter stands for itself. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/gu;

/** Ends of file names that say a format, which a filter of lists finds: no word, since nearly every image would have it, and each word is a row that an upload writes. */
const ENDINGS = ["jpg", "jpeg", "png", "webp", "avif", "gif", "svg", "heic", "heif", "tif", "tiff", "bmp"];

function withoutEnding(name: string): string {
	const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
	return ending.length < name.length - 1 && ENDINGS.includes(ending) ? name.slice(0, -ending.length - 1) : name;
}

/** The words of a search, in which a file name may have its ending, or the beginning of it. */
export function searchedWords(text: string): readonly string[] {
	const parts = text.split(/\s+/).map((part) => {
		const [, name = "", begun = ""] = /^(.+)\.(\w*)$/.exec(part) ?? [];
		return name !== "" && ENDINGS.some((ending) => ending.startsWith(begun.toLowerCase())) ? name : part;
	});
	return wordsOf(parts.join(" "));
}

/** Different words of a text, in their order. */
export function wordsOf(text: string): readonly string[] {
	// By upper case first: ß is SS. Combining marks of Latin, Greek and Cyrillic go, those that are vowels elsewhere stay.
	const folded = text
		.normalize("NFKD")
		.replace(/[\u0300-\u036f]/g, "")
		.toUpperCase()
		.toLowerCase()
		.replaceAll("ς", "σ");
	const words =
		folded
			.normalize("NFC")
			.replace(UNSPACED, " $& ")
			.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
	return [...new Set(words.map((word) => (word.length > LENGTH_MAX ? [...word].slice(0, LENGTH_MAX).join("") : word)))];
}

/**
 * What is kept of an image's words: a JSON array of the revision of which they are, and the words. The revision tells a change by a process that
 * knows nothing of words, which leaves them as they were, from one that comes to the same words.
 */
export function keptWords({
	filename,
	labels,
	caption,
	revision,
}: Pick<Image, "filename" | "labels" | "caption" | "revision">): string {
	const text = [withoutEnding(filename), ...Object.entries(labels).flat(), caption].join(" ");
	return JSON.stringify([revision, ...wordsOf(text).slice(0, WORDS_MAX)]);
}
