import type { DocPage } from "./library.ts";

/* Finds the sections of pages in which all words are. The pages are few, so that each is looked through. */

export interface Hit {
	readonly page: DocPage;
	readonly heading: string;
	readonly href: string;
	readonly excerpt: string;
}

const MAX_HITS = 20;
const MAX_WORDS = 8;
const EXCERPT_LETTERS = 180;
const LEAD_LETTERS = 60;
/** What a word counts for in a title and in a heading; in a text each time counts once, up to this. */
const IN_TITLE = 20;
const IN_HEADING = 10;
const IN_TEXT_MAX = 5;

export function search(pages: Iterable<DocPage>, query: string): readonly Hit[] {
	const words = wordsOf(query);
	if (words.length === 0) return [];
	const found: { hit: Hit; score: number }[] = [];
	for (const page of pages) {
		for (const { id, heading, text } of page.sections) {
			const score = scoreOf([page.title, heading, text], words);
			const href = id === "" ? page.path : `${page.path}#${id}`;
			if (score > 0) found.push({ score, hit: { page, heading, href, excerpt: excerptOf(text, words) } });
		}
	}
	return found
		.sort((a, b) => b.score - a.score)
		.slice(0, MAX_HITS)
		.map(({ hit }) => hit);
}

function wordsOf(query: string): readonly string[] {
	return query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
}

/** 0 where one of the words is not there. */
function scoreOf(texts: readonly [title: string, heading: string, text: string], words: readonly string[]): number {
	const [title, heading, text] = texts.map((one) => one.toLowerCase()) as [string, string, string];
	let score = 0;
	for (const word of words) {
		const times = Math.min(text.split(word).length - 1, IN_TEXT_MAX);
		const worth = times + (title.includes(word) ? IN_TITLE : 0) + (heading.includes(word) ? IN_HEADING : 0);
		if (worth === 0) return 0;
		score += worth;
	}
	// A page whose title alone has the words is listed once, by its own heading.
	return heading === title || !words.every((word) => title.includes(word)) ? score : score - IN_TITLE;
}

function excerptOf(text: string, words: readonly string[]): string {
	const lower = text.toLowerCase();
	const at = Math.max(0, ...words.slice(0, 1).map((word) => lower.indexOf(word) - LEAD_LETTERS));
	const piece = text
		.slice(at, at + EXCERPT_LETTERS)
		.replace(/\s+/g, " ")
		.trim();
	return `${at > 0 ? "… " : ""}${piece}${at + EXCERPT_LETTERS < text.length ? " …" : ""}`;
}
