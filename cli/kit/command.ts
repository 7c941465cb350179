import { EXIT, type ExitCode, UsageError } from "@svc/base/processes/exit";
import type { Client } from "@svc/sdk/client";
import type { Management } from "@svc/sdk/management";
import type { Pages } from "@svc/sdk/wire/calls";
import type { ArgsDef, ParsedArgs } from "citty";
import type { Credentials } from "../profile/profile.ts";
import type { Globals } from "./line/globals.ts";
import type { IdHint } from "./line/ids.ts";
import type { Output } from "./output/output.ts";
import type { Process } from "./process.ts";
import type { Advice } from "./refusal.ts";

/** The services that a command works with. */
export interface Context {
	readonly process: Process;
	readonly globals: Globals;
	readonly out: Output;
	/** Every command that there is, for completion and the dashboard. */
	readonly commands: Group;
	/** Read when first needed: a command that sends nothing needs no key. */
	credentials(): Promise<Credentials>;
	/** A client for images: with the key, or as the person where there is none or another App is meant. */
	client(): Promise<Client>;
	/** Makes any call of the management API, with the profile's token where it has one. */
	personClient(): Promise<Client>;
	/** The same for the images, events and upload tickets of each App. */
	appClients(): Promise<(app: string) => Client>;
	/** The management API, as the person whose token the profile has. */
	management(): Promise<Management>;
	/** The same for calls that only look although they are no GET: a dry run makes them, too. */
	looking(): Promise<Management>;
	/** One of its lists, at `path`. It is loaded without the rest, which costs half of what the start of a command may. */
	list<Item>(path: string): Promise<Pages<Item>["list"]>;
	/** The App that a command is about: `--app`, else the profile's, else the key's own. */
	appId(): Promise<string>;
	/** What belongs to that App, as the person who is signed in. */
	app(): Promise<ReturnType<Management["apps"]["of"]>>;
}

export interface Given<T extends ArgsDef> {
	readonly args: ParsedArgs<T>;
	/** Words after the named ones. */
	readonly rest: readonly string[];
	/** Every value of a repeatable flag, in order. */
	all(flag: string): readonly string[];
}

interface Described<T extends ArgsDef> {
	readonly summary: string;
	/** Details for which the summary has no room. */
	readonly notes?: string;
	/** Complete lines that a person could type. The tests run each of them. */
	readonly examples: readonly [string, ...string[]];
	readonly args: T;
	/** Any number of further words, at least one where `required`. */
	readonly rest?: {
		readonly name: string;
		readonly description: string;
		readonly required: boolean;
		readonly valueHint?: IdHint;
	};
	/** Flags that may be given several times. */
	readonly repeatable?: readonly string[];
	/** Words that may be empty: for any other one that is a mistake, as of a script whose variable is not set. */
	readonly mayBeEmpty?: readonly string[];
}

/** What a command does. One that says nothing of its exit code has done all that was asked for. */
type Run<T extends ArgsDef, Result> = (given: Given<T>, context: Context) => Promise<Result>;

/** A command as it is written: what it takes, and what it does with that. */
interface CommandDefinition<T extends ArgsDef> extends Described<T> {
	readonly run: Run<T, ExitCode> | Run<T, void>;
}

/** A line that was checked against the command. */
export interface Line {
	readonly values: ReadonlyMap<string, readonly string[]>;
	readonly words: readonly string[];
}

/** A command as it is run: it reads its own arguments, so that its callers need not know their type. */
export interface Command extends Described<ArgsDef> {
	run(line: Line, context: Context): Promise<ExitCode>;
}

/** Commands with a word in common. They are loaded only when one of them is run or explained: start-up pays for no other. */
export interface Group {
	readonly summary: string;
	/** The command that the group's word means where none of its commands follows. */
	readonly alone?: string;
	/** What its commands were called before, which goes on: the new word by the old one. */
	readonly old?: Readonly<Record<string, string>>;
	/** Its commands in parts with a title each, as help shows them. */
	readonly parts?: Readonly<Record<string, Readonly<Record<string, Entry>>>>;
	/** Commands that are run often, and therefore loaded without the others of the group, which has them as well. */
	readonly direct?: Readonly<Record<string, () => Promise<Command>>>;
	commands(): Promise<Readonly<Record<string, Entry>>>;
}

/** A command that is loaded when it is run or explained; its summary is there before. */
interface Later {
	readonly summary: string;
	load(): Promise<Command>;
}

/** The target of a word. */
export type Entry = Command | Group | Later;

/** Where the calls of a command are: what belongs to the chosen App, all that a person may do, or the images. */
export type Room = "app" | "management" | "client";

/** The calls that are there. */
export type Calls<R extends Room> = Awaited<ReturnType<Context[R]>>;

/** A command that is described by the calls that it makes. */
export interface Calling<T extends ArgsDef, R extends Room> extends Omit<Described<T>, "args"> {
	readonly args?: T;
	readonly from: R;
	/** What to do about refusals. */
	readonly advice?: Advice | undefined;
}

/** A group or a command, with the words that lead to it. */
interface Found {
	readonly path: readonly string[];
	readonly entry: Command | Group;
}

export function defineCommand<const T extends ArgsDef>(definition: CommandDefinition<T>): Command {
	return {
		...definition,
		async run({ values, words }, context) {
			const args = argsOf(definition.args, values, words);
			const all = (flag: string) => values.get(flag) ?? [];
			const rest = await restOf(definition, words.slice(positionals(definition).length), context);
			return (await definition.run({ args, rest, all }, context)) ?? EXIT.ok;
		},
	};
}

/** What was given of what a command takes, in the types that citty makes of its description: the line was read before, once. */
function argsOf<T extends ArgsDef>(args: T, values: Line["values"], words: Line["words"]): ParsedArgs<T> {
	const following = [...words];
	const given = Object.entries(args).map(([name, { type }]) => {
		if (type === "positional") return [name, following.shift()];
		return [name, type === "boolean" ? values.has(name) || undefined : values.get(name)?.at(-1)];
	});
	return Object.fromEntries(given);
}

/** The ids on a line; `-` among them stands for those that standard input has. @throws UsageError for an input without any */
async function restOf(
	{ rest }: Pick<Command, "rest">,
	words: readonly string[],
	{ process }: Context,
): Promise<readonly string[]> {
	const hint = rest?.valueHint;
	if (hint === undefined || !words.includes("-")) return words;
	const given = (await process.readInput()).split(/\s+/).filter(Boolean);
	const { checkIds } = await import("./line/ids.ts");
	for (const id of given) checkIds("standard input", hint, id);
	if (given.length === 0)
		throw new UsageError("Standard input has no ids.", "Pipe them in, for example: svc images list -q");
	return words.flatMap((word) => (word === "-" ? given : [word]));
}

export function positionals({ args }: Pick<Command, "args">): string[] {
	return Object.keys(args).filter((name) => args[name]?.type === "positional");
}

export function isGroup(entry: Entry): entry is Group {
	return "commands" in entry;
}

export async function load(entry: Entry): Promise<Command | Group> {
	return "load" in entry ? await entry.load() : entry;
}

/** Every group and command from here on, each group before what it holds. */
export async function everyEntry(from: Entry, path: readonly string[] = []): Promise<readonly Found[]> {
	const entry = await load(from);
	if (!isGroup(entry)) return [{ path, entry }];
	const below = Object.entries(await entry.commands()).map(([word, next]) => everyEntry(next, [...path, word]));
	return [{ path, entry }, ...(await Promise.all(below)).flat()];
}
