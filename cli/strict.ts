import { UsageError } from "./exit.ts";
import { type FlagShape, GLOBAL_FLAGS, type GlobalName, type Hoisted } from "./globals.ts";
import { checkIds } from "./ids.ts";
import { type Branch, isBranch, type Leaf, type Line, type Node, positionals } from "./leaf.ts";
import { didYouMean } from "./suggest.ts";

/*
 * citty accepts unknown flags and extra words, takes the word after an unknown flag for its value, and finds commands along the
 * prototype chain. This layer settles the whole line first; citty then parses one that cannot be misread.
 */

type Shapes = Readonly<Record<string, FlagShape>>;

interface FlagWord {
	readonly name: string;
	/** After `=`. */
	readonly value: string | undefined;
	readonly written: string;
}

/** Undefined for a word; `-` alone is one, by custom it means standard input. */
function readFlag(word: string, shapes: Shapes): FlagWord | undefined {
	const [, dashes, written, , value] = /^(--?)([^=]+)(=(.*))?$/s.exec(word) ?? [];
	if (dashes === undefined || written === undefined) return undefined;
	const byLetter = Object.entries(shapes).find(([, shape]) => shape.alias === written)?.[0];
	// `-json` is not `--json`: one dash is for letters, and nothing is guessed.
	const name = dashes === "--" ? written : (byLetter ?? `-${written}`);
	return { name, value, written: `${dashes}${written}` };
}

/** The flag's value, which may be the next word; `true` for a flag that takes none. */
function takeValue(flag: FlagWord, shape: FlagShape, following: string[]): string | true {
	if (shape.type === "boolean") {
		if (flag.value !== undefined) throw new UsageError(`${flag.written} takes no value.`);
		return true;
	}
	if (flag.value !== undefined) return flag.value;
	const next = following[0];
	if (next === undefined || (next.startsWith("-") && next !== "-")) {
		const hint = shape.valueHint ?? "value";
		throw new UsageError(
			`${flag.written} needs a value: ${flag.written} <${hint}>. One that begins with a dash follows a "=".`,
		);
	}
	following.shift();
	return next;
}

export interface HoistedLine {
	readonly globals: Hoisted;
	/** The line without its global flags. */
	readonly line: readonly string[];
	/** Words after `--`, which are never flags. */
	readonly literal: readonly string[];
}

function isGlobal(name: string): name is GlobalName {
	return Object.hasOwn(GLOBAL_FLAGS, name);
}

/** @throws UsageError for a global flag that is given twice or lacks its value. */
export function hoistGlobals(argv: readonly string[]): HoistedLine {
	const end = argv.indexOf("--");
	const words = end === -1 ? [...argv] : argv.slice(0, end);
	const globals = new Map<GlobalName, string | true>();
	const line: string[] = [];
	for (let word = words.shift(); word !== undefined; word = words.shift()) {
		const flag = readFlag(word, GLOBAL_FLAGS);
		if (flag === undefined || !isGlobal(flag.name)) {
			line.push(word);
			continue;
		}
		if (globals.has(flag.name)) throw new UsageError(`${flag.written} is given twice.`);
		const shape: FlagShape = GLOBAL_FLAGS[flag.name];
		const value = takeValue(flag, shape, words);
		checkIds(flag.written, shape.valueHint, String(value));
		globals.set(flag.name, value);
	}
	return { globals, line, literal: end === -1 ? [] : argv.slice(end + 1) };
}

export interface Resolved {
	/** Words that lead to the node. */
	readonly path: readonly string[];
	readonly node: Node;
	/** What follows the command. */
	readonly line: readonly string[];
}

/** Follows words down the tree as far as it goes. @throws UsageError for a word that leads nowhere. */
export function resolveCommand(tree: Branch, line: readonly string[]): Resolved {
	let node: Node = tree;
	let taken = 0;
	while (isBranch(node) && taken < line.length) {
		const word = line[taken] ?? "";
		const path = ["svc", ...line.slice(0, taken)].join(" ");
		if (word.startsWith("-")) throw unknownFlag(word, GLOBAL_FLAGS, path);
		const next: Node | undefined = Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
		if (next === undefined) {
			const meant = didYouMean(word, Object.keys(node.commands));
			throw new UsageError(`${path} has no command "${word}".${meant}`, `${path} --help`);
		}
		node = next;
		taken++;
	}
	return { path: line.slice(0, taken), node, line: line.slice(taken) };
}

function unknownFlag(written: string, shapes: Shapes, path: string): UsageError {
	const name = written.replace(/=.*$/s, "");
	const known = Object.keys({ ...shapes, ...GLOBAL_FLAGS }).map((flag) => `--${flag}`);
	return new UsageError(`${path} has no flag ${name}.${didYouMean(name, known)}`, `${path} --help`);
}

/** The leaf's flags in the shape of the global ones. */
export function flagShapes(leaf: Leaf): Shapes {
	const flags = Object.entries(leaf.args).filter(([, arg]) => arg.type !== "positional");
	const shapes = flags.map(([name, arg]): [string, FlagShape] => {
		const { description = "", valueHint = "value" } = arg;
		return [name, { type: arg.type === "boolean" ? "boolean" : "string", description, valueHint }];
	});
	return Object.fromEntries(shapes);
}

function checkWords(leaf: Leaf, words: readonly string[], path: string): void {
	const named = positionals(leaf);
	const wanted = [...named, ...(leaf.rest?.required ? [leaf.rest.name] : [])];
	const missing = wanted[words.length];
	if (missing !== undefined) throw new UsageError(`${path} needs <${missing}>.`, `${path} --help`);
	const extra = words[named.length];
	if (extra === undefined || leaf.rest !== undefined) return;
	throw new UsageError(`${path} does not know what to do with "${extra}".`, `${path} --help`);
}

function checkWordIds(leaf: Leaf, words: readonly string[]): void {
	const named = positionals(leaf);
	for (const [index, word] of words.entries()) {
		const name = named[index];
		const [shown, hint] =
			name === undefined ? [leaf.rest?.name, leaf.rest?.valueHint] : [name, leaf.args[name]?.valueHint];
		checkIds(`<${shown}>`, hint, word);
	}
}

interface LeafFlags {
	readonly leaf: Leaf;
	readonly path: string;
	readonly shapes: Shapes;
	readonly values: Map<string, readonly string[]>;
}

/** Takes one flag off the line; the answer is how citty is to read it. */
function takeFlag(flag: FlagWord, following: string[], { leaf, path, shapes, values }: LeafFlags): string {
	const shape = Object.hasOwn(shapes, flag.name) ? shapes[flag.name] : undefined;
	if (shape === undefined) throw unknownFlag(flag.written, shapes, path);
	const value = takeValue(flag, shape, following);
	const earlier = values.get(flag.name) ?? [];
	if (earlier.length > 0 && !leaf.repeatable?.includes(flag.name))
		throw new UsageError(`${flag.written} is given twice.`);
	checkIds(flag.written, shape.valueHint, String(value));
	values.set(flag.name, [...earlier, String(value)]);
	return value === true ? `--${flag.name}` : `--${flag.name}=${value}`;
}

/** @throws UsageError for whatever the leaf has not declared. */
export function parseLine(leaf: Leaf, path: string, line: readonly string[], literal: readonly string[]): Line {
	const flags: LeafFlags = { leaf, path, shapes: flagShapes(leaf), values: new Map() };
	const canonical: string[] = [];
	const words: string[] = [];
	const following = [...line];
	for (let word = following.shift(); word !== undefined; word = following.shift()) {
		const flag = readFlag(word, flags.shapes);
		if (flag === undefined) words.push(word);
		else canonical.push(takeFlag(flag, following, flags));
	}
	words.push(...literal);
	checkWords(leaf, words, path);
	checkWordIds(leaf, words);
	return { values: flags.values, words, canonical: [...canonical, "--", ...words] };
}
