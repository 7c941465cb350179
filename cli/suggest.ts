/** Insertions, deletions and replacements that turn one word into the other. */
function distance(one: string, other: string): number {
	let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (const [row, letter] of [...one].entries()) {
		const current = [row + 1];
		for (const [column, wanted] of [...other].entries()) {
			const replaced = (previous[column] ?? 0) + (letter === wanted ? 0 : 1);
			current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
		}
		previous = current;
	}
	return previous.at(-1) ?? 0;
}

/** The known word that was probably meant, if any is near enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
	const ranked = known
		.map((candidate) => ({ candidate, steps: candidate.startsWith(word) ? 1 : distance(word, candidate) }))
		.filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)))
		.sort((a, b) => a.steps - b.steps);
	return ranked[0]?.candidate;
}

/** For the end of a sentence; empty when nothing is near. */
export function didYouMean(word: string, known: readonly string[]): string {
	const meant = nearest(word, known);
	return meant === undefined ? "" : ` Did you mean ${meant}?`;
}
