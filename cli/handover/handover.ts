import { LocalError, UsageError } from "@svc/base/processes/exit";
import type { WithSecret } from "@svc/sdk/types";
import type { Context } from "../kit/command.ts";
import * as takes from "../kit/line/takes.ts";
import type { Column } from "../kit/output/table.ts";
import { createSecretFile } from "./secret-file.ts";

/** Flags that send a new secret elsewhere than to standard output. */
export const HANDOVER_ARGS = {
	exec: takes.text(
		"Run by the shell, with the secret and nothing else on its standard input; exit 0 means that it keeps it",
		"command",
	),
	"secret-file": takes.text("Write the secret into this new file, mode 0600", "file"),
} as const;

/** For the notes of the commands that have these flags. */
export const HANDOVER_NOTE =
	"The secret goes to standard output, or with --secret-file into a new file, or with --exec to a command's standard input";

interface HandoverArgs {
	readonly exec?: string | undefined;
	readonly "secret-file"?: string | undefined;
}

/** Brings one secret to where it belongs. */
export interface Handover<T> {
	/** The handover in words, for people. */
	readonly plan: string;
	/** @throws LocalError when it could not be handed over */
	give(made: T & WithSecret): Promise<void>;
	/** Prints what was made without its secret, where that was not printed already. */
	show(made: T & WithSecret): Promise<void>;
	/** Removes what was written, when the secret is of no use any more. */
	discard(): Promise<void>;
}

const nothing = async () => undefined;

/** Notes are for people: a program that asked for JSON gets no other text, also on standard error. */
export async function say({ out }: Pick<Context, "out">, text: string): Promise<void> {
	if (!out.isJson) await out.note(text);
}

/**
 * Decided before anything is made: afterwards the secret would have nowhere to go.
 * @throws UsageError for options that would lose it; LocalError for a file that cannot be made
 */
export async function openHandover<T>(
	{ exec, "secret-file": file }: HandoverArgs,
	columns: readonly Column<T>[],
	context: Context,
): Promise<Handover<T>> {
	if (exec !== undefined && file !== undefined) throw new UsageError("--exec and --secret-file exclude each other.");
	if (exec?.trim() === "") throw new UsageError("--exec needs a command.");
	if (exec !== undefined || file !== undefined) {
		if (context.globals.field?.split(".")[0] === "secret") {
			throw new UsageError("--field secret prints it; leave out --exec and --secret-file.");
		}
	}
	if (exec !== undefined) return byCommand(exec, columns, context);
	if (file !== undefined) return byFile(file, columns, context);
	if (!context.globals.dryRun) refuseLoss(context);
	return byOutput(columns, context);
}

function byCommand<T>(command: string, columns: readonly Column<T>[], context: Context): Handover<T> {
	const { process, out } = context;
	const program = programOf(command);
	return {
		plan: `Give the secret to: ${program}`,
		async give({ secret }) {
			const mask = maskOf(secret);
			const onOutput = (text: string) => process.err.write(mask.feed(text));
			const { exit, tookInput } = await process
				.runShell({ command, input: secret, onOutput, signal: process.signal })
				.catch((error: unknown) => {
					throw new LocalError(`There is no shell to run it: ${error instanceof Error ? error.message : "?"}`);
				});
			await process.err.write(mask.rest());
			const how = exit === null ? "was ended by a signal" : `ended with exit ${exit}`;
			if (exit !== 0) throw new LocalError(`${program} ${how}.`);
			if (!tookInput) throw new LocalError(`${program} did not read the secret from its standard input.`);
			await say(context, `Gave the secret to: ${program} (exit 0)`);
		},
		show: (made) => out.record(columns, withoutSecret(made) as T),
		discard: nothing,
	};
}

/** The program of a command line, and nothing of its arguments: they may be secrets too. */
function programOf(command: string): string {
	const words = command.trim().split(/\s+/);
	const program = words.find((word) => !/^\w+=/.test(word)) ?? "";
	return /[\w.-]+$/.exec(program)?.[0] ?? "the command";
}

function withoutSecret<T>({ secret: _, ...rest }: T & WithSecret): unknown {
	return rest;
}

async function byFile<T>(name: string, columns: readonly Column<T>[], context: Context): Promise<Handover<T>> {
	const { out, process, globals } = context;
	const plan = `Write the secret into ${name}`;
	// A dry run makes no secret.
	const file = globals.dryRun ? undefined : await createSecretFile(process, name);
	return {
		plan,
		async give({ secret }) {
			await file?.write(secret);
			await say(context, `Wrote the secret into ${name}`);
		},
		show: (made) => out.record(columns, withoutSecret(made) as T),
		discard: async () => file?.discard(),
	};
}

function refuseLoss({ globals, out }: Context): void {
	const { field, format } = globals;
	const elsewhere = "Use --field secret, --secret-file <file> or --exec <command>.";
	if (field !== undefined && field !== "secret") {
		throw new UsageError(`--field ${field} would lose the secret, which is shown this once.`, elsewhere);
	}
	if (out.quiet && format === undefined && field === undefined) {
		throw new UsageError("-q prints ids only, and would lose the secret, which is shown this once.", elsewhere);
	}
}

function byOutput<T>(columns: readonly Column<T>[], { out }: Context): Handover<T> {
	const shown: readonly Column<T & WithSecret>[] = [...columns, { name: "secret", value: ({ secret }) => secret }];
	return {
		plan: "Print the secret",
		give: (made) => out.record(shown, made),
		show: nothing,
		discard: nothing,
	};
}

const SHOWN = "[secret]";

interface Mask {
	/** Returns as much of the text as can be shown by now. */
	feed(text: string): string;
	/** Returns the text that was held back. */
	rest(): string;
}

/** Takes a secret out of text that arrives in pieces, wherever they are cut. */
export function maskOf(secret: string): Mask {
	let held = "";
	return {
		feed(text) {
			const clean = (held + text).replaceAll(secret, SHOWN);
			const keep = begun(clean, secret);
			held = clean.slice(clean.length - keep);
			return clean.slice(0, clean.length - keep);
		},
		rest() {
			const last = held;
			held = "";
			return last;
		},
	};
}

/** How much of the end of `text` may be the beginning of `secret`. */
function begun(text: string, secret: string): number {
	for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
		if (secret.startsWith(text.slice(-length))) return length;
	}
	return 0;
}
