import { EXIT, type ExitCode, Interrupted, UsageError } from "@svc/base/processes/exit";
import type { Fetch } from "@svc/sdk/wire/request";
import { COMMANDS } from "../commands/commands.ts";
import { type Group, isGroup } from "./command.ts";
import { type Globals, readGlobals } from "./line/globals.ts";
import { type HoistedLine, hoistGlobals, parseLine, resolveCommand } from "./line/strict.ts";
import { typedHere, typist } from "./line/typed.ts";
import type { Process } from "./process.ts";

/** Runs one command line; nothing is thrown. */
export async function run(argv: readonly string[], given: Process, commands: Group = COMMANDS): Promise<ExitCode> {
	let process = typedHere(fitting(given), commands);
	// Read before the line is: an error about the line itself is JSON too when that was asked for.
	const options = { json: argv.includes("--json"), verbose: argv.includes("--verbose") };
	try {
		const hoisted = hoistGlobals(argv);
		const globals = readGlobals(hoisted.globals, process.now);
		options.json = globals.format === "json" || globals.format === "jsonl";
		options.verbose = globals.verbose;
		process = advising(process, hoisted.line, globals);
		return await dispatch(commands, process, hoisted, globals);
	} catch (error) {
		return await fail(process, error, options);
	}
}

async function dispatch(commands: Group, process: Process, hoisted: HoistedLine, globals: Globals): Promise<ExitCode> {
	const { line, isHelp } = withoutHelp(globals.version && hoisted.line.length === 0 ? ["version"] : hoisted.line);
	const { path, entry, line: rest } = await resolveCommand(commands, line, !(globals.help || isHelp));
	const name = ["svc", ...path].join(" ");
	if (globals.help || isHelp || (isGroup(entry) && explains(path, globals))) {
		const { helpFor } = await import("./line/help.ts");
		const typed = await typist(process, commands);
		const help = `${typed(await helpFor(path, entry))}\n`;
		const { isTerminal, columns } = process.out;
		await process.out.write(isTerminal ? (await import("./output/wrap.ts")).wrapped(help, columns) : help);
		return EXIT.ok;
	}
	if (globals.version && path[0] !== "version") throw new UsageError(`${name} has no flag --version.`, "svc version");
	if (isGroup(entry)) {
		const names = Object.keys(await entry.commands()).join(", ");
		throw new UsageError(`${name} needs a command: ${names}.`, `${name} --help`);
	}
	const seen = await ready(process, globals);
	const { createContext, nothingOf } = await import("./context.ts");
	const context = createContext(seen, globals, commands, nothingOf(entry, path, rest));
	const work = entry.run(parseLine(entry, name, rest, hoisted.literal), context);
	if (!globals.dryRun) return await work;
	return await work.catch(async (error) => (await import("./planning.ts")).showPlanned(context.out, error));
}

/** The same process, whose messages fit its terminal. Nothing is loaded for those that are short. */
function fitting(process: Process): Process {
	const { err } = process;
	if (!err.isTerminal) return process;
	const write = async (text: string) => {
		if (text.length <= err.columns) return await err.write(text);
		const { fitted } = await import("./output/wrap.ts");
		await err.write(fitted(text, err.columns));
	};
	return { ...process, err: { ...err, write } };
}

/** The process that a command works with. @throws UsageError for a filter that is none, before anything is done */
async function ready(process: Process, { jq, verbose }: Globals): Promise<Process> {
	if (jq !== undefined) await (await import("./output/jq.ts")).checkFilter(jq);
	return verbose ? { ...process, fetch: loudFetch(process) } : process;
}

/** The same process, whose messages can be pasted. What makes them so is loaded for the first one: most commands say nothing. */
function advising(process: Process, line: readonly string[], globals: Globals): Process {
	const write = async (text: string) => {
		const { pasteable } = await import("./line/hints.ts");
		await pasteable(process, line, globals).err.write(text);
	};
	return { ...process, err: { ...process.err, write } };
}

/** Whether a group alone is explained; a program that wants JSON has no use for that. */
function explains(path: readonly string[], { format }: Globals): boolean {
	return path.length === 0 || (format !== "json" && format !== "jsonl");
}

/** `svc help images upload` and `svc images help` ask what `--help` asks. */
function withoutHelp(line: readonly string[]): { readonly line: readonly string[]; readonly isHelp: boolean } {
	const [first] = line;
	if (first === "help") return { line: line.slice(1), isHelp: true };
	const isLast = line.length === 2 && line[1] === "help";
	return { line: isLast ? line.slice(0, 1) : line, isHelp: isLast };
}

/** Prints the method, address, status and request id of each call, but no header and no signature: some hold secrets. */
function loudFetch(process: Process): Fetch {
	return async (url, init) => {
		const startedMs = process.now();
		const response = await process.fetch(url, init);
		const { printableLine } = await import("@svc/base/text");
		const { withoutSecret } = await import("@svc/base/http/signed-address");
		const id = response.headers.get("x-request-id") ?? "no request id";
		const line = `${init.method} ${withoutSecret(url)} → ${response.status} in ${Math.round(process.now() - startedMs)} ms (${id})`;
		await process.err.write(`${printableLine(line)}\n`);
		return response;
	};
}

async function fail(process: Process, error: unknown, options: { json: boolean; verbose: boolean }): Promise<ExitCode> {
	if (isClosedPipe(error)) return EXIT.ok;
	const { exitOf, inWords } = await import("./refusal.ts");
	const reported = process.signal.aborted && !(error instanceof Interrupted) ? new Interrupted() : inWords(error);
	const { report } = await import("./report.ts");
	await report(process, reported, options);
	return exitOf(reported);
}

/** A closed pipe is how `head` says that it has seen enough. */
function isClosedPipe(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "EPIPE";
}
