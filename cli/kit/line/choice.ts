import { UsageError } from "@svc/base/processes/exit";

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/**
 * Checks that a value is one of the allowed ones; `name` is the argument as help writes it, such as `--state`.
 * @throws UsageError that names them all
 */
export function oneOf<const Choice extends string>(name: string, asked: string, choices: readonly Choice[]): Choice {
	const choice = choices.find((known) => known === asked);
	if (choice !== undefined) return choice;
	throw new UsageError(`${name} takes ${choices.join(", ")}; not "${asked}".${didYouMean(asked, choices)}`);
}

/** A filter by one of some values; nothing where none was asked for. @throws UsageError that names them all */
export function readChoice<const Name extends string, const Choice extends string>(
	name: Name,
	asked: string | undefined,
	choices: readonly Choice[],
): Partial<Record<Name, Choice>> {
	if (asked === undefined) return {};
	return { [name]: oneOf(`--${name}`, asked, choices) } as Record<Name, Choice>;
}

/** Returns only those filters that were given. */
export function givenFilters<T extends Readonly<Record<string, string | undefined>>>(filters: T): Given<T> {
	return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Given<T>;
}

/** Words of other programs, each with those that may mean it here. */
const MEANINGS: readonly (readonly string[])[] = [
	["list", "ls", "all", "index"],
	["get", "show", "view", "read", "info", "describe", "cat"],
	["delete", "remove", "rm", "del", "destroy", "revoke", "end", "withdraw", "disconnect"],
	["create", "add", "new", "make", "upload"],
	["edit", "set", "update", "change", "patch", "rename"],
	["serve", "dev", "start", "run", "up"],
	["login", "init", "setup", "signin", "auth"],
];

/** A suggestion for the end of a sentence; empty when no known word is near, or means the same. */
export function didYouMean(word: string, known: readonly string[]): string {
	const meant = synonym(word, known) ?? nearest(word, known);
	return meant === undefined ? "" : ` Did you mean ${meant}?`;
}

function synonym(word: string, known: readonly string[]): string | undefined {
	return MEANINGS.find((words) => words.includes(word))?.find((one) => known.includes(one));
}

/** The known word that was probably meant, if any is near enough. */
function nearest(word: string, known: readonly string[]): string | undefined {
	const ranked = known
		.map((candidate) => ({ candidate, steps: candidate.startsWith(word) ? 1 : distance(word, candidate) }))
		.filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)))
		.sort((a, b) => a.steps - b.steps);
	return ranked[0]?.candidate;
}

/** Whether the words differ in two neighbouring letters that changed places. */
function isSwapped(one: string, other: string): boolean {
	const at = [...one].findIndex((letter, index) => letter !== other[index]);
	return at >= 0 && one.slice(0, at) + one[at + 1] + one[at] + one.slice(at + 2) === other;
}

/** Insertions, deletions and replacements that turn one word into the other. */
function distance(one: string, other: string): number {
	if (isSwapped(one, other)) return 1;
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
