import { UsageError } from "./exit.ts";
import { didYouMean } from "./suggest.ts";

/** One of some values; `name` is the argument as help writes it, such as `--state`. @throws UsageError that names them all */
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
