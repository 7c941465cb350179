import type { Client } from "@svc/sdk/client";
import type { Management } from "@svc/sdk/management";
import type { ArgsDef, ParsedArgs } from "citty";
import { EXIT, type ExitCode } from "./exit.ts";
import type { Globals } from "./globals.ts";
import type { IdHint } from "./ids.ts";
import type { Output } from "./output.ts";
import type { Credentials } from "./profile.ts";
import type { World } from "./world.ts";

/** What a command has to work with. */
export interface Context {
	readonly world: World;
	readonly globals: Globals;
	readonly out: Output;
	/** Read when first needed: a command that sends nothing needs no key. */
	credentials(): Promise<Credentials>;
	/** For images: with the key, or as the person where there is none or another App is meant. */
	client(): Promise<Client>;
	/** For any call of the management API: with the profile's token, where it has one. */
	personClient(): Promise<Client>;
	/** The management API, as the person whose token the profile has. */
	management(): Promise<Management>;
	/** The App that a command is about: `--app`, else the profile's, else the key's own. */
	appId(): Promise<string>;
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
	/** What the summary has no room for. */
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
}

/** A command as it is written: what it takes, and what it does with that. */
export interface Command<T extends ArgsDef> extends Described<T> {
	run(given: Given<T>, context: Context): Promise<ExitCode>;
}

/** A line that was checked against the leaf. */
export interface Line {
	readonly values: ReadonlyMap<string, readonly string[]>;
	readonly words: readonly string[];
	/** The same line, written so that citty cannot misread it. */
	readonly canonical: readonly string[];
}

/** A command as it is run: it reads its own arguments, so that nobody else needs to know their type. */
export interface Leaf extends Described<ArgsDef> {
	run(line: Line, context: Context): Promise<ExitCode>;
}

export function positionals(leaf: Pick<Leaf, "args">): string[] {
	return Object.keys(leaf.args).filter((name) => leaf.args[name]?.type === "positional");
}

export function defineLeaf<const T extends ArgsDef>(command: Command<T>): Leaf {
	return {
		...command,
		async run({ values, words, canonical }, context) {
			const rest = words.slice(positionals(command).length);
			const all = (flag: string) => values.get(flag) ?? [];
			let exit: ExitCode = EXIT.ok;
			const run = async ({ args }: { args: ParsedArgs<T> }) => {
				exit = await command.run({ args, rest, all }, context);
			};
			// Only what is run needs it: help does not.
			const { runCommand } = await import("citty");
			await runCommand({ args: command.args, run }, { rawArgs: [...canonical] });
			return exit;
		},
	};
}

/** Loaded only when it is run or explained: start-up pays for one command. */
export interface Stub {
	readonly summary: string;
	load(): Promise<Leaf>;
}

export interface Branch {
	readonly summary: string;
	readonly commands: Readonly<Record<string, Stub | Branch>>;
}

export type Node = Stub | Branch;

export function isBranch(node: Node): node is Branch {
	return "commands" in node;
}
