import type { DocPlace, Index, RankedPlace } from "./search-index.ts";
import { synonymsOf, wordsIn } from "./search-words.ts";

/* What is answered to a question: the best place of each page first, then what else there is. */

export interface SearchHit extends DocPlace {
	readonly excerpt: string;
}

const MAX_HITS = 20;
/** So many results at least lead to a page each. */
const DIFFERENT = 3;
const EXCERPT_LETTERS = 180;
const LEAD_LETTERS = 60;

export function search(index: Index, question: string, withNotes: boolean): readonly SearchHit[] {
	const found = index.find(question, withNotes);
	const first = new Map<string, RankedPlace>();
	for (const one of found) if (!first.has(one.place.path)) first.set(one.place.path, one);
	const best = [...first.values()];
	// The first ones are of different pages, also where there are few.
	const others = best.length < DIFFERENT ? [] : found.filter((one) => first.get(one.place.path) !== one);
	const words = wordsIn(question);
	return [...best, ...others]
		.slice(0, MAX_HITS)
		.map(({ place }) => ({ ...place, excerpt: excerptOf(place.text, words) }));
}

function excerptOf(text: string, words: readonly string[]): string {
	const plain = text.replace(/\s+/g, " ").trim();
	const lower = plain.toLowerCase();
	const places = words.flatMap((word) => [word, ...synonymsOf(word)]).map((word) => lower.indexOf(word));
	const at = Math.max(0, (places.find((place) => place >= 0) ?? 0) - LEAD_LETTERS);
	const from = at === 0 ? 0 : lower.indexOf(" ", at) + 1;
	const piece = plain.slice(from, from + EXCERPT_LETTERS);
	return `${from > 0 ? "… " : ""}${piece}${from + EXCERPT_LETTERS < plain.length ? " …" : ""}`;
}
