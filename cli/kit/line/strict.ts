import { UsageError } from "@svc/base/processes/exit";
import { type Command, type Entry, type Group, isGroup, type Line, load, positionals } from "../command.ts";
import { didYouMean } from "./choice.ts";
import { type FlagShape, GLOBAL_FLAGS, type GlobalName, type Hoisted } from "./globals.ts";
import { checkIds } from "./ids.ts";

/*
 * Commands say what they take in citty's terms. Its reader would accept unknown flags and extra words, keep the last value of a flag that
 * is given twice, and take --no-wait for the contrary of --wait: the line is read here, once, and whatever was not declared is refused.
 */

type Shapes = Readonly<Record<string, FlagShape>>;

/** Values from hints such as `table|json`; none where the hint says what is to be written instead. */
export function choicesOf(hint: string | undefined): readonly string[] {
	const values = hint?.split("|") ?? [];
	return values.length > 1 && !values.includes("id") && values.every((value) => /^[\w-]+$/.test(value)) ? values : [];
}

interface FlagWord {
	readonly name: string;
	/** The text after `=`. */
	readonly value: string | undefined;
	readonly written: string;
}

export interface HoistedLine {
	readonly globals: Hoisted;
	/** The line without its global flags. */
	readonly line: readonly string[];
	/** Words after `--`, which are never flags. */
	readonly literal: readonly string[];
}

interface Resolved {
	/** Words that lead to the entry. */
	readonly path: readonly string[];
	readonly entry: Command | Group;
	/** The words after the command. */
	readonly line: readonly string[];
}

interface OwnFlags {
	readonly command: Command;
	readonly path: string;
	readonly shapes: Shapes;
	readonly values: Map<string, readonly string[]>;
}

/** @throws UsageError for a global flag that is given twice or lacks its value. */
export function hoistGlobals(argv: readonly string[]): HoistedLine {
	const end = argv.indexOf("--");
	const words = (end === -1 ? [...argv] : argv.slice(0, end)).flatMap(letters);
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

/** `-qo` is `-q -o`: letters of global flags may stand together, the last of them alone may take a value. */
function letters(word: string): string[] {
	const [, together = ""] = /^-([a-z]{2,})$/.exec(word) ?? [];
	const flags = [...together].map((letter) => readFlag(`-${letter}`, GLOBAL_FLAGS)?.name ?? "");
	const areKnown = flags.every(isGlobal) && new Set(flags).size === flags.length;
	const takesNone = (name: string) => isGlobal(name) && GLOBAL_FLAGS[name].type === "boolean";
	return together !== "" && areKnown && flags.slice(0, -1).every(takesNone)
		? [...together].map((one) => `-${one}`)
		: [word];
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

function isGlobal(name: string): name is GlobalName {
	return Object.hasOwn(GLOBAL_FLAGS, name);
}

/** The flag's value, which may be the next word; `true` for a flag that takes none. */
function takeValue(flag: FlagWord, shape: FlagShape, following: string[]): string | true {
	if (shape.type === "boolean") {
		if (flag.value !== undefined) throw new UsageError(`${flag.written} takes no value.`);
		return true;
	}
	if (flag.value !== undefined) return flag.value;
	const next = following[0];
	// No flag is a number: `--published-at -86400` means what it says.
	if (next === undefined || (next.startsWith("-") && !/^-\d*$/.test(next))) {
		const hint = shape.valueHint ?? "value";
		throw new UsageError(
			`${flag.written} needs a value: ${flag.written} <${hint}>. One that begins with a dash follows a "=".`,
		);
	}
	following.shift();
	return next;
}

/**
 * Follows words from group to group as far as they lead; where a command is to run, also to the one that a group alone means.
 * @throws UsageError for a word that leads nowhere
 */
export async function resolveCommand(commands: Group, given: readonly string[], runs = true): Promise<Resolved> {
	let entry: Command | Group = commands;
	let taken = 0;
	let line = given;
	while (isGroup(entry)) {
		if (runs) line = withAlone(entry, line, taken);
		const word = line[taken];
		if (word === undefined) break;
		const meant = named(entry, word);
		if (meant !== word) line = line.with(taken, meant);
		entry = await following(entry, meant, ["svc", ...line.slice(0, taken)].join(" "));
		taken++;
	}
	return { path: line.slice(0, taken), entry, line: line.slice(taken) };
}

/** The word of today for one that a command was called by before. */
function named({ old = {} }: Group, word: string): string {
	return (Object.hasOwn(old, word) && old[word]) || word;
}

/** What a word of a group leads to; `path` is the group's. @throws UsageError for one that leads nowhere */
async function following(group: Group, word: string, path: string): Promise<Command | Group> {
	if (word.startsWith("-")) throw unknownFlag(word, GLOBAL_FLAGS, path);
	const direct = group.direct !== undefined && Object.hasOwn(group.direct, word) ? group.direct[word] : undefined;
	if (direct !== undefined) return await direct();
	const known: Readonly<Record<string, Entry>> = await group.commands();
	const next = Object.hasOwn(known, word) ? known[word] : undefined;
	if (next !== undefined) return await load(next);
	throw new UsageError(`${path} has no command "${word}".${didYouMean(word, Object.keys(known))}`, `${path} --help`);
}

/** Puts in the command that the group alone means, where neither a command of it nor anything else follows but flags. */
function withAlone({ alone }: Group, line: readonly string[], at: number): readonly string[] {
	const next = line[at];
	return alone !== undefined && (next === undefined || next.startsWith("-")) ? line.toSpliced(at, 0, alone) : line;
}

function unknownFlag(written: string, shapes: Shapes, path: string): UsageError {
	const name = written.replace(/=.*$/s, "");
	const known = Object.keys({ ...shapes, ...GLOBAL_FLAGS }).map((flag) => `--${flag}`);
	return new UsageError(`${path} has no flag ${name}.${didYouMean(name, known)}`, `${path} --help`);
}

/** The command's flags in the shape of the global ones. */
export function flagShapes(command: Command): Shapes {
	const flags = Object.entries(command.args).filter(([, arg]) => arg.type !== "positional");
	const shapes = flags.map(([name, arg]): [string, FlagShape] => {
		const { description = "", valueHint = "value" } = arg;
		return [name, { type: arg.type === "boolean" ? "boolean" : "string", description, valueHint }];
	});
	return Object.fromEntries(shapes);
}

/** @throws UsageError for whatever the command has not declared. */
export function parseLine(command: Command, path: string, line: readonly string[], literal: readonly string[]): Line {
	const flags: OwnFlags = { command, path, shapes: flagShapes(command), values: new Map() };
	const words: string[] = [];
	const following = [...line];
	for (let word = following.shift(); word !== undefined; word = following.shift()) {
		const flag = readFlag(word, flags.shapes);
		if (flag === undefined) words.push(word);
		else takeFlag(flag, following, flags);
	}
	words.push(...literal);
	checkWords(command, words, path);
	checkWordIds(command, words);
	checkEmpty(command, words, path);
	checkFlags(flags);
	return { values: flags.values, words };
}

/** Takes one flag off the line, with its value. */
function takeFlag(flag: FlagWord, following: string[], { command, path, shapes, values }: OwnFlags): void {
	const shape = Object.hasOwn(shapes, flag.name) ? shapes[flag.name] : undefined;
	if (shape === undefined) throw unknownFlag(flag.written, shapes, path);
	const value = takeValue(flag, shape, following);
	const earlier = values.get(flag.name) ?? [];
	if (earlier.length > 0 && !command.repeatable?.includes(flag.name))
		throw new UsageError(`${flag.written} is given twice.`);
	checkIds(flag.written, shape.valueHint, String(value));
	values.set(flag.name, [...earlier, String(value)]);
}

function checkFlags({ command: { args }, path, values }: OwnFlags): void {
	const [missing, arg] =
		Object.entries(args).find(([name, { type, required }]) => type !== "positional" && required && !values.has(name)) ??
		[];
	if (missing === undefined) return;
	throw new UsageError(`${path} needs --${missing} <${arg?.valueHint}>.`, `${path} --help`);
}

function checkWords(command: Command, words: readonly string[], path: string): void {
	const named = positionals(command);
	const wanted = [...named, ...(command.rest?.required ? [command.rest.name] : [])];
	const missing = wanted[words.length];
	if (missing !== undefined) {
		for (const [index, name] of named.entries()) checkChoice(command, name, words[index], path);
		throw new UsageError(`${path} needs <${missing}>.`, `${path} --help`);
	}
	const extra = words[named.length];
	if (extra === undefined || command.rest !== undefined) return;
	throw new UsageError(`${path} does not know what to do with "${extra}".`, `${path} --help`);
}

function checkEmpty(command: Command, words: readonly string[], path: string): void {
	const may = command.mayBeEmpty ?? [];
	const empty = positionals(command).find((name, index) => words[index]?.trim() === "" && !may.includes(name));
	if (empty !== undefined) throw new UsageError(`${path} needs <${empty}>; it is empty.`, `${path} --help`);
}

/** A word that is missing in front of another one is not the last one. */
function checkChoice(command: Command, name: string, word: string | undefined, path: string): void {
	const choices = choicesOf(command.args[name]?.valueHint);
	if (word === undefined || choices.length === 0 || choices.includes(word)) return;
	throw new UsageError(`${path} needs <${name}> first: ${choices.join(" or ")}; not "${word}".`, `${path} --help`);
}

function checkWordIds(command: Command, words: readonly string[]): void {
	const named = positionals(command);
	for (const [index, word] of words.entries()) {
		const name = named[index];
		const [shown, hint] =
			name === undefined ? [command.rest?.name, command.rest?.valueHint] : [name, command.args[name]?.valueHint];
		checkIds(`<${shown}>`, hint, word);
	}
}
