import { COMMANDS } from "@svc/cli/commands/commands";
import { type Command, everyEntry, isGroup } from "@svc/cli/kit/command";

/** A command with the words that lead to it. */
export interface FoundCommand {
	readonly path: readonly string[];
	readonly command: Command;
}

/** Words as a shell would make them: quotes keep one together. */
export function shellWords(line: string): string[] {
	return Array.from(line.matchAll(/'([^']*)'|(\S+)/g), (match) => match[1] ?? match[2] ?? "");
}

/** Every command with the words that lead to it. */
export async function everyCommand(): Promise<readonly FoundCommand[]> {
	const entries = await everyEntry(COMMANDS);
	return entries.flatMap(({ path, entry }) => (isGroup(entry) ? [] : [{ path, command: entry }]));
}
