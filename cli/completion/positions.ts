import { type Command, everyEntry, type Group, isGroup, load, positionals } from "../kit/command.ts";
import { type FlagShape, GLOBAL_FLAGS } from "../kit/line/globals.ts";
import { choicesOf, flagShapes } from "../kit/line/strict.ts";

/** A word that may be typed, and what it is for. */
export interface Choice {
	readonly word: string;
	readonly description: string;
}

export interface FlagChoice extends Choice {
	readonly takesValue: boolean;
	/** The values that the flag can have, where the list is short. */
	readonly values: readonly string[];
	/** Whether its value names a file. */
	readonly takesFile: boolean;
	/** The words of the command that lists what its value may be; empty where none does. */
	readonly listedBy: readonly string[];
}

/** The words that may follow after some words. */
export interface Position {
	/** Words that lead here, without `svc`. */
	readonly path: readonly string[];
	readonly commands: readonly Choice[];
	/** Flags of the command itself. */
	readonly flags: readonly FlagChoice[];
	/** Whether words may follow that name files. */
	readonly takesFiles: boolean;
	/** The words of the command that lists the ids that may follow; empty where none does. */
	readonly listedBy: readonly string[];
	/** The values that the first word can have, where the list is short. */
	readonly words: readonly string[];
}

const WORD = /^[\w-]+$/;

/** How long a shell keeps what a command listed: Tab is pressed again and again while one id is typed. */
export const KEPT_SECONDS = 30;

/** The commands that list what flags are about. */
const LISTED: Readonly<Record<string, readonly string[]>> = { app: ["apps", "list"], user: ["users", "list"] };

/** The flags of every command. */
export const GLOBAL_CHOICES: readonly FlagChoice[] = flagsOf(GLOBAL_FLAGS);

/** Every position of a group, the group itself first. */
export async function positionsOf(group: Group): Promise<readonly Position[]> {
	const entries = await everyEntry(group);
	const lists = new Set(entries.map(({ path }) => path.join(" ")));
	return await Promise.all(
		entries.map(({ path, entry }) =>
			isGroup(entry) ? groupPosition(path, entry) : commandPosition(path, entry, lists),
		),
	);
}

async function groupPosition(path: readonly string[], group: Group): Promise<Position> {
	const entries = Object.entries(await group.commands());
	const commands = entries.map(([word, { summary }]) => ({ word, description: summary }));
	const alone = group.alone === undefined ? undefined : (await group.commands())[group.alone];
	const meant = alone && (await load(alone));
	const flags = meant === undefined || isGroup(meant) ? [] : flagsOf(flagShapes(meant));
	return { path, commands, flags, takesFiles: false, listedBy: [], words: [] };
}

function commandPosition(path: readonly string[], command: Command, lists: ReadonlySet<string>): Position {
	const positional = Object.values(command.args).filter(({ type }) => type === "positional");
	// A description that only lists words, as "bash, zsh or fish", lists what can be typed.
	const listed = (positional[0]?.description ?? "").split(/, | or /);
	const { rest } = command;
	const hints = [
		...positionals(command).map((name) => command.args[name]?.valueHint ?? name),
		...(rest ? [rest.valueHint ?? rest.name] : []),
	];
	const isList = listed.length > 1 && listed.every((word) => WORD.test(word));
	return {
		path,
		commands: [],
		flags: flagsOf(flagShapes(command)),
		takesFiles: hints.some(isFile),
		listedBy: hints[0]?.startsWith("id") ? listerOf(path, lists) : [],
		words: isList ? listed : [],
	};
}

function flagsOf(shapes: Readonly<Record<string, FlagShape>>): FlagChoice[] {
	return Object.entries(shapes).flatMap(([name, shape]) => {
		const rest = {
			description: shape.description,
			takesValue: shape.type === "string",
			values: choicesOf(shape.valueHint),
			takesFile: isFile(shape.valueHint),
			listedBy: LISTED[name] ?? [],
		};
		const long = { word: `--${name}`, ...rest };
		return shape.alias === undefined ? [long] : [long, { word: `-${shape.alias}`, ...rest }];
	});
}

/** The command of the same group that lists what its commands are about. */
function listerOf(path: readonly string[], lists: ReadonlySet<string>): readonly string[] {
	const list = [...path.slice(0, -1), "list"];
	return lists.has(list.join(" ")) ? list : [];
}

/** Names of files are offered for what is one: among ids they would be none that the service knows. */
function isFile(hint: string | undefined): boolean {
	return /file|folder|source|path/.test(hint ?? "");
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
