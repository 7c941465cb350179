import { type FlagShape, GLOBAL_FLAGS } from "../globals.ts";
import { type Branch, isBranch, type Leaf, type Node } from "../leaf.ts";
import { flagShapes } from "../strict.ts";

/** A word that may be typed, and what it is for. */
export interface Choice {
	readonly word: string;
	readonly description: string;
}

export interface FlagChoice extends Choice {
	readonly takesValue: boolean;
	/** What the value can be, where that is a short list. */
	readonly values: readonly string[];
}

/** What may follow after some words. */
export interface Place {
	/** Words that lead here, without `svc`. */
	readonly path: readonly string[];
	readonly commands: readonly Choice[];
	/** Of the command itself. */
	readonly flags: readonly FlagChoice[];
	/** Whether words may follow that could be files. */
	readonly takesWords: boolean;
	/** What the first word can be, where that is a short list. */
	readonly words: readonly string[];
}

const WORD = /^[\w-]+$/;

/** From hints such as `table|json`. */
function valuesOf(shape: FlagShape): readonly string[] {
	const values = shape.valueHint?.split("|") ?? [];
	return values.length > 1 && values.every((value) => WORD.test(value)) ? values : [];
}

function flagsOf(shapes: Readonly<Record<string, FlagShape>>): FlagChoice[] {
	return Object.entries(shapes).flatMap(([name, shape]) => {
		const rest = { description: shape.description, takesValue: shape.type === "string", values: valuesOf(shape) };
		const long = { word: `--${name}`, ...rest };
		return shape.alias === undefined ? [long] : [long, { word: `-${shape.alias}`, ...rest }];
	});
}

/** What every command takes. */
export const GLOBAL_CHOICES: readonly FlagChoice[] = flagsOf(GLOBAL_FLAGS);

function leafPlace(path: readonly string[], leaf: Leaf): Place {
	const positional = Object.values(leaf.args).filter(({ type }) => type === "positional");
	// A description that only lists words, as "bash, zsh or fish", lists what can be typed.
	const listed = (positional[0]?.description ?? "").split(/, | or /);
	const isList = listed.length > 1 && listed.every((word) => WORD.test(word));
	return {
		path,
		commands: [],
		flags: flagsOf(flagShapes(leaf)),
		takesWords: positional.length > 0 || leaf.rest !== undefined,
		words: isList ? listed : [],
	};
}

function branchPlace(path: readonly string[], branch: Branch): Place {
	const commands = Object.entries(branch.commands).map(([word, { summary }]) => ({ word, description: summary }));
	return { path, commands, flags: [], takesWords: false, words: [] };
}

/** Every place of the tree, the root first. */
export async function placesOf(node: Node, path: readonly string[] = []): Promise<readonly Place[]> {
	if (!isBranch(node)) return [leafPlace(path, await node.load())];
	const below = await Promise.all(
		Object.entries(node.commands).map(([word, child]) => placesOf(child, [...path, word])),
	);
	return [branchPlace(path, node), ...below.flat()];
}

/** As scripts write it: empty for the root. */
export function placeName({ path }: Pick<Place, "path">): string {
	return path.map((word) => `/${word}`).join("");
}

export function valueFlags(flags: readonly FlagChoice[]): readonly FlagChoice[] {
	return flags.filter(({ takesValue }) => takesValue);
}

export function wordsOf(choices: readonly Choice[], separator = " "): string {
	return choices.map(({ word }) => word).join(separator);
}
