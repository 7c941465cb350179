import MiniSearch, { type SearchResult } from "minisearch";
import type { Library } from "../library.ts";
import { REFERENCE_PATH } from "../paths.ts";
import { EMPTY, LIGHT, synonymsOf, wordsIn } from "./search-words.ts";

/* What is searched: the sections of all pages, the rows of their tables that are about one name, and the operations of the API. */

/** A place in the documentation that a question can lead to. */
export interface DocPlace {
	readonly href: string;
	/** The page on which it is, without what is within it. */
	readonly path: string;
	/** The page's title. */
	readonly title: string;
	/** Empty at the beginning of the page. */
	readonly heading: string;
	readonly text: string;
	/** What it is called, in words as they are searched. */
	readonly names: readonly string[];
	/** How much it counts beside other places where the same words are. */
	readonly weight: number;
}

export interface ListedOperation {
	readonly operationId: string;
	readonly method: string;
	readonly path: string;
	readonly summary?: string;
	readonly description?: string;
}

export interface RankedPlace {
	readonly place: DocPlace;
	/** More for what has more of the words of the question; 0 for what has none but those that most pages have. */
	readonly score: number;
}

/** For whom a page is: what is told to people who work on the service itself is searched only when asked for. */
const NOTES = /^\/docs\/(decisions|architecture$|dictionary$)/;
const isNotes = (path: string) => NOTES.test(path);

/** How much a page counts beside others where the same words are. */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
	[/^\/docs$/, 0.2],
	[/^\/docs\/examples/, 0.4],
	[/^\/docs\/(languages|clients|operate\/(releasing|older-clients))$/, 0.6],
	[/^\/docs\/reference\/(sdk-operators|sdk-people|sdk-people-options|cli-operators)$/, 0.5],
	[/^\/docs\/reference\/(sdk|cli)/, 0.7],
	[/^\/docs\/api$/, 0.6],
	[/^\/docs\/(guides\/|concepts$|questions$|moving-in$)/, 1.4],
	[NOTES, 0.6],
];

const FIELDS = { title: 6, heading: 5, words: 5, text: 1 } as const;
const ROW_WEIGHT = 0.4;
const IS_QUESTIONS = /^\/docs\/questions$/;
const PREFIX_MIN = 3;
const FUZZY_MIN = 5;
const SYNONYM_WEIGHT = 0.35;

interface WordEntry {
	readonly id: number;
	readonly title: string;
	readonly heading: string;
	readonly text: string;
	readonly words: string;
}

/** @param keywords words that a page or a section is searched by and does not have, by its path */
export function openIndex(
	library: Library,
	operations: readonly ListedOperation[],
	keywords: ReadonlyMap<string, string>,
) {
	const places = [...sectionsOf(library), ...operations.map(operationPlace)];
	const mini = new MiniSearch<WordEntry>({
		fields: Object.keys(FIELDS),
		tokenize: (text) => [...wordsIn(text)],
		processTerm: (term) => (term.length > 0 ? term : null),
		searchOptions: { boost: { ...FIELDS } },
	});
	mini.addAll(
		places.map(({ href, title, heading, text }, id) => ({ id, title, heading, text, words: keywords.get(href) ?? "" })),
	);
	return { find: (question: string, withNotes: boolean) => find(mini, places, question, withNotes) };
}

export type Index = ReturnType<typeof openIndex>;

function sectionsOf({ pages }: Library): readonly DocPlace[] {
	return [...pages.values()].flatMap((page) => {
		const place = (id: string, heading: string, text: string, share = 1): DocPlace => {
			const isBeginning = heading === page.title || id === "";
			const href = isBeginning ? page.path : `${page.path}#${id}`;
			const weight = weightOf(page.path) * share;
			const names = namesOf(isBeginning ? page.title : heading);
			return { href, path: page.path, title: page.title, heading: isBeginning ? "" : heading, text, names, weight };
		};
		const sections = page.sections.filter(({ heading, text }) => heading !== "" || text.trim() !== "");
		return [
			...sections.map(({ id, heading, text }) => place(id, heading, text)),
			// A section has the words of its rows as well.
			...page.rows.map(({ id, heading, text }) =>
				place(id, heading, text, IS_QUESTIONS.test(page.path) ? 0.8 : ROW_WEIGHT),
			),
		];
	});
}

function operationPlace({ operationId, method, path, summary = "", description = "" }: ListedOperation): DocPlace {
	return {
		href: `${REFERENCE_PATH}#${operationId}`,
		path: REFERENCE_PATH,
		title: "API reference",
		heading: `${method.toUpperCase()} ${path}`,
		text: `${operationId}: ${summary} ${description}`,
		names: [...namesOf(`${method} ${path}`), ...namesOf(operationId)],
		weight: weightOf(REFERENCE_PATH),
	};
}

/** The places for a question, the best first: those with most of its words before all others. */
function find(
	mini: MiniSearch<WordEntry>,
	places: readonly DocPlace[],
	question: string,
	withNotes: boolean,
): readonly RankedPlace[] {
	const asked = askedFor(question);
	const [spelled = "", name = ""] = namesOf(question);
	const telling = asked.filter((word) => !LIGHT.has(word)).length;
	const scores = new Map<number, { score: number; words: number }>();
	for (const word of asked) {
		const counts = telling === 0 || !LIGHT.has(word) ? 1 : 0;
		for (const { id, score } of foundFor(mini, word, places, withNotes)) {
			const { score: before, words } = scores.get(id) ?? { score: 0, words: 0 };
			scores.set(id, { score: before + score, words: words + counts });
		}
	}
	const most = telling || asked.length;
	return [...scores]
		.flatMap(([id, { score, words }]) => {
			const place = places[id];
			if (place === undefined) return [];
			const named = place.names.includes(spelled) ? SPELLED : place.names.includes(name) ? NAMED : 1;
			return [{ place, score: score * (words / most) ** 2 * named }];
		})
		.filter(({ score }) => score > 0)
		.sort((one, other) => other.score - one.score);
}

const WORDS_MAX = 8;
/** What is called just so stands first, before what is called almost so. */
const SPELLED = 200;
const NAMED = 8;

/** The name of a place without its arguments, as it is spelled (behind `=`) and in words: `svc images upload <file…>`. */
function namesOf(heading: string): readonly string[] {
	const name = heading.replace(/[<(].*/, "");
	return [`= ${name.trim().toLowerCase()}`, wordsIn(name).join(" ")];
}

function askedFor(question: string): readonly string[] {
	const all = [...new Set(wordsIn(question))];
	const telling = all.filter((word) => !EMPTY.has(word));
	return (telling.length > 0 ? telling : all).slice(0, WORDS_MAX);
}

/** A word as it is or as the beginning of others, and its synonyms; where nothing has it, words that are written much like it. */
function foundFor(
	mini: MiniSearch<WordEntry>,
	word: string,
	places: readonly DocPlace[],
	withNotes: boolean,
): readonly SearchResult[] {
	const options = {
		filter: ({ id }: SearchResult) => withNotes || !isNotes(places[id]?.path ?? ""),
		boostDocument: (id: number) => places[id]?.weight ?? 1,
	};
	const queries = [
		{ queries: [word], prefix: word.length >= PREFIX_MIN, combineWith: "OR" as const },
		...synonymsOf(word).map((synonym) => ({
			queries: [synonym],
			combineWith: "OR" as const,
			boostTerm: () => SYNONYM_WEIGHT,
		})),
	];
	const found = mini.search({ combineWith: "OR", queries }, options);
	if (found.length > 0 || word.length < FUZZY_MIN) return found;
	return mini.search(word, { ...options, prefix: true, fuzzy: 0.25 });
}

function weightOf(path: string): number {
	return WEIGHTS.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
}
