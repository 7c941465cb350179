import { type Command, everyEntry, type Group, isGroup, load } from "../kit/command.ts";
import { type FlagShape, GLOBAL_FLAGS } from "../kit/globals.ts";
import { flagShapes } from "../kit/strict.ts";

/** A word that may be typed, and what it is for. */
export interface Choice {
	readonly word: string;
	readonly description: string;
}

export interface FlagChoice extends Choice {
	readonly takesValue: boolean;
	/** The values that the flag can have, where the list is short. */
	readonly values: readonly string[];
}

/** The words that may follow after some words. */
export interface Position {
	/** Words that lead here, without `svc`. */
	readonly path: readonly string[];
	readonly commands: readonly Choice[];
	/** Flags of the command itself. */
	readonly flags: readonly FlagChoice[];
	/** Whether words may follow that could be files. */
	readonly takesWords: boolean;
	/** The values that the first word can have, where the list is short. */
	readonly words: readonly string[];
}

const WORD = /^[\w-]+$/;

/** The flags of every command. */
export const GLOBAL_CHOICES: readonly FlagChoice[] = flagsOf(GLOBAL_FLAGS);

/** Every position of a group, the group itself first. */
export async function positionsOf(group: Group): Promise<readonly Position[]> {
	const entries = await everyEntry(group);
	return await Promise.all(
		entries.map(({ path, entry }) => (isGroup(entry) ? groupPosition(path, entry) : commandPosition(path, entry))),
	);
}

async function groupPosition(path: readonly string[], group: Group): Promise<Position> {
	const entries = Object.entries(await group.commands());
	const commands = entries.map(async ([word, entry]) => ({ word, description: (await load(entry)).summary }));
	return { path, commands: await Promise.all(commands), flags: [], takesWords: false, words: [] };
}

function commandPosition(path: readonly string[], command: Command): Position {
	const positional = Object.values(command.args).filter(({ type }) => type === "positional");
	// A description that only lists words, as "bash, zsh or fish", lists what can be typed.
	const listed = (positional[0]?.description ?? "").split(/, | or /);
	const isList = listed.length > 1 && listed.every((word) => WORD.test(word));
	return {
		path,
		commands: [],
		flags: flagsOf(flagShapes(command)),
		takesWords: positional.length > 0 || command.rest !== undefined,
		words: isList ? listed : [],
	};
}

function flagsOf(shapes: Readonly<Record<string, FlagShape>>): FlagChoice[] {
	return Object.entries(shapes).flatMap(([name, shape]) => {
		const rest = { description: shape.description, takesValue: shape.type === "string", values: valuesOf(shape) };
		const long = { word: `--${name}`, ...rest };
		return shape.alias === undefined ? [long] : [long, { word: `-${shape.alias}`, ...rest }];
	});
}

/** Values from hints such as `table|json`. */
function valuesOf(shape: FlagShape): readonly string[] {
	const values = shape.valueHint?.split("|") ?? [];
	return values.length > 1 && values.every((value) => WORD.test(value)) ? values : [];
}

/** The path as scripts write it: empty for the root. */
export function positionName({ path }: Pick<Position, "path">): string {
	return path.map((word) => `/${word}`).join("");
}

export function valueFlags(flags: readonly FlagChoice[]): readonly FlagChoice[] {
	return flags.filter(({ takesValue }) => takesValue);
}

export function wordsOf(choices: readonly Choice[], separator = " "): string {
	return choices.map(({ word }) => word).join(separator);
}
