import { UsageError } from "@svc/base/processes/exit";
import { type Context, everyEntry, type Group, isGroup } from "../../kit/command.ts";
import { readGlobals } from "../../kit/line/globals.ts";
import { hoistGlobals, parseLine, resolveCommand } from "../../kit/line/strict.ts";
import type { Process, Terminal } from "../../kit/process.ts";

/* Commands that only read, run within this process, for the dashboard. */

/** The last words of commands that change nothing, neither at the service nor on this machine. */
const READING: ReadonlySet<string> = new Set([
	"list",
	"get",
	"log",
	"status",
	"overview",
	"emails",
	"accounts",
	"invoices",
	"deliveries",
	"daily",
	"labels",
	"whoami",
	"version",
]);
/** They go on until somebody ends them. */
const ENDLESS = /^(?:--follow|--watch)\b/;
const LONGEST_MS = 30_000;

/** A command as the palette shows it. */
interface CommandLine {
	readonly line: string;
	readonly summary: string;
	readonly reads: boolean;
	/** Words that have to follow. */
	readonly needs: readonly string[];
}

function isReading(path: readonly string[]): boolean {
	return READING.has(path.at(-1) ?? "");
}

/** Every command as it is typed. */
export async function linesOf(commands: Group): Promise<readonly CommandLine[]> {
	return (await everyEntry(commands)).flatMap(({ path, entry }): CommandLine[] => {
		if (isGroup(entry)) return [];
		const named = Object.entries(entry.args).filter(
			([, { type, required }]) => type === "positional" && required === true,
		);
		const needs = [...named.map(([name]) => name), ...(entry.rest?.required ? [entry.rest.name] : [])];
		return [{ line: ["svc", ...path].join(" "), summary: entry.summary, reads: isReading(path), needs }];
	});
}

/** What the line prints, in rows of this many cells. @throws UsageError for one that may change something */
export async function readHere(
	line: string,
	{ app, columns, rows }: { readonly app: string | undefined; readonly columns: number; readonly rows: number },
	context: Context,
): Promise<readonly string[]> {
	const words = line.trim().split(/\s+/);
	if (words.some((word) => ENDLESS.test(word)))
		throw new UsageError("That goes on until it is ended: run it beside this.");
	const hoisted = hoistGlobals(words[0] === "svc" ? words.slice(1) : words);
	const asked = readGlobals(hoisted.globals, context.process.now);
	const { profile } = context.globals;
	const globals = { ...asked, app: asked.app ?? app, profile: asked.profile ?? profile, noInput: true };
	const { path, entry, line: rest } = await resolveCommand(context.commands, hoisted.line, true);
	const name = ["svc", ...path].join(" ");
	if (isGroup(entry) || !isReading(path)) throw new UsageError(`${name} may change something: run it beside this.`);
	let printed = "";
	const terminal: Terminal = {
		write: async (text) => {
			printed += text;
		},
		isTerminal: true,
		columns,
		rows,
	};
	const { createContext, nothingOf } = await import("../../kit/context.ts");
	const seen = readOnly(context.process, terminal);
	await entry.run(
		parseLine(entry, name, rest, hoisted.literal),
		createContext(seen, globals, context.commands, nothingOf(entry, path, rest)),
	);
	return printed.replace(/\n$/, "").split("\n");
}

/** Whatever a command would do, no call that changes something leaves here, and nothing is read of the terminal's keys. */
function readOnly(process: Process, terminal: Terminal): Process {
	return {
		...process,
		env: { ...process.env, NO_COLOR: "1" },
		out: terminal,
		err: terminal,
		canAsk: false,
		readInput: async () => "",
		signal: AbortSignal.any([process.signal, AbortSignal.timeout(LONGEST_MS)]),
		fetch: async (url, init) => {
			if (init.method !== undefined && init.method !== "GET") throw new UsageError("That would change something.");
			return await process.fetch(url, init);
		},
	};
}
