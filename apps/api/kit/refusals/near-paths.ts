import { lettersApart } from "@svc/base/words/likeness";

/* The path that somebody probably meant, for a refusal. */

/** Longer paths are nobody's slip, and comparing them would cost. */
const PATH_MAX = 120;
const SEGMENT_MAX = 30;
/** Letters that may be wrong in all. */
const WRONG_MAX = 3;
const VERSION = "v1";

/**
 * The nearest of the registered paths, with `{id}` where they have `:id`; undefined where none is near. Bounded: a few short words are compared
 * with each path.
 */
export function nearestPath(pathname: string, paths: readonly string[]): string | undefined {
	const sent = segmentsOf(pathname.toLowerCase());
	if (pathname.length > PATH_MAX || sent.length === 0 || sent.some((segment) => segment.length > SEGMENT_MAX))
		return undefined;
	const ranked = paths
		.map((path) => ({ path, wrong: wrongLetters(withVersion(sent), segmentsOf(path)) }))
		.filter(({ wrong }) => wrong <= WRONG_MAX)
		.sort((a, b) => a.wrong - b.wrong);
	return ranked[0]?.path.replace(/:(\w+)/g, "{$1}");
}

function segmentsOf(path: string): readonly string[] {
	return path.split("/").filter((segment) => segment !== "");
}

/** `/images`, `/api/images` and `/v2/images` mean the same. */
function withVersion([first = "", ...rest]: readonly string[]): readonly string[] {
	if (first === VERSION) return [first, ...rest];
	const isPrefix = /^(api|v\d+)$/.test(first);
	const [second, ...others] = rest;
	if (isPrefix && second === VERSION) return [second, ...others];
	return [VERSION, ...(isPrefix ? rest : [first, ...rest])];
}

function wrongLetters(sent: readonly string[], path: readonly string[]): number {
	if (sent.length !== path.length) return Number.POSITIVE_INFINITY;
	let wrong = 0;
	for (const [index, known] of path.entries()) {
		const word = sent[index] ?? "";
		if (known.startsWith(":")) continue;
		// A word of which more than a third is wrong is another one.
		const letters = lettersApart(word, known);
		if (letters > Math.max(word.length, known.length) / 3) return Number.POSITIVE_INFINITY;
		wrong += letters;
		if (wrong > WRONG_MAX) return Number.POSITIVE_INFINITY;
	}
	return wrong;
}
