import { UsageError } from "./exit.ts";
import { didYouMean } from "./suggest.ts";

/** A filter by one of some values; nothing where none was asked for. @throws UsageError */
export function readChoice<const Name extends string>(
	name: Name,
	asked: string | undefined,
	choices: readonly string[],
): Partial<Record<Name, string>> {
	if (asked === undefined) return {};
	if (choices.includes(asked)) return { [name]: asked } as Record<Name, string>;
	throw new UsageError(`--${name} takes ${choices.join(", ")}; not "${asked}".${didYouMean(asked, choices)}`);
}
