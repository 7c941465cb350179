import type { Fetch } from "@svc/sdk/request";
import { createContext } from "./context.ts";
import { EXIT, type ExitCode, exitOf, Interrupted, UsageError } from "./exit.ts";
import { type Globals, readGlobals } from "./globals.ts";
import { helpFor } from "./help.ts";
import { type Branch, isBranch } from "./leaf.ts";
import { report } from "./report.ts";
import { type HoistedLine, hoistGlobals, parseLine, resolveCommand } from "./strict.ts";
import { plainLine } from "./text.ts";
import { TREE } from "./tree.ts";
import type { World } from "./world.ts";

/** Method, address, status and request id; never a header that holds a secret. */
function loudFetch(world: World): Fetch {
	return async (url, init) => {
		const startedMs = world.now();
		const response = await world.fetch(url, init);
		const id = response.headers.get("x-request-id") ?? "no request id";
		const line = `${init.method} ${url} → ${response.status} in ${Math.round(world.now() - startedMs)} ms (${id})`;
		await world.err.write(`${plainLine(line)}\n`);
		return response;
	};
}

async function dispatch(tree: Branch, world: World, hoisted: HoistedLine, globals: Globals): Promise<ExitCode> {
	const line = globals.version && hoisted.line.length === 0 ? ["version"] : hoisted.line;
	const { path, node, line: rest } = resolveCommand(tree, line);
	const name = ["svc", ...path].join(" ");
	if (globals.help || (path.length === 0 && isBranch(node))) {
		await world.out.write(`${await helpFor(path, node)}\n`);
		return EXIT.ok;
	}
	if (globals.version && path[0] !== "version") throw new UsageError(`${name} has no flag --version.`, "svc version");
	if (isBranch(node)) {
		throw new UsageError(`${name} needs a command: ${Object.keys(node.commands).join(", ")}.`, `${name} --help`);
	}
	const leaf = await node.load();
	const seen = globals.verbose ? { ...world, fetch: loudFetch(world) } : world;
	return await leaf.run(parseLine(leaf, name, rest, hoisted.literal), createContext(seen, globals));
}

/** A closed pipe is how `head` says that it has seen enough. */
function isClosedPipe(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "EPIPE";
}

async function fail(world: World, error: unknown, options: { json: boolean; verbose: boolean }): Promise<ExitCode> {
	if (isClosedPipe(error)) return EXIT.ok;
	const told = world.signal.aborted ? new Interrupted() : error;
	await report(world, told, options);
	return exitOf(told);
}

/** Runs one command line; nothing is thrown. */
export async function run(argv: readonly string[], world: World, tree: Branch = TREE): Promise<ExitCode> {
	// Read before the line is: an error about the line itself is JSON too when that was asked for.
	const told = { json: argv.includes("--json"), verbose: argv.includes("--verbose") };
	try {
		const hoisted = hoistGlobals(argv);
		const globals = readGlobals(hoisted.globals);
		told.json = globals.format === "json" || globals.format === "jsonl";
		told.verbose = globals.verbose;
		return await dispatch(tree, world, hoisted, globals);
	} catch (error) {
		return await fail(world, error, told);
	}
}
