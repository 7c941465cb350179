import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { RUNTIME_ENVIRONMENT } from "./runtime-environment.ts";

/* Programs that the service runs in processes of their own: where they are, and how the runtime that runs this one starts them. */

/** What is built for Node and Deno lies in one folder, and is JavaScript. */
const IS_BUILT = import.meta.url.endsWith(".js");

/** The migrations of this release. */
export const MIGRATIONS = new URL(IS_BUILT ? "./drizzle/" : "../../../drizzle/", import.meta.url);

/** The folder of the documentation, with its pictures. */
export const DOCUMENTS = new URL(IS_BUILT ? "./docs/" : "../../../docs/", import.meta.url);

/** The folder of the example programs. */
export const EXAMPLES = new URL(IS_BUILT ? "./examples/" : "../../../examples/", import.meta.url);

/** Where each example that has a page keeps its copy of the one style sheet of them all, which it gets where it is packed. */
export const EXAMPLE_SHEETS: Readonly<Record<string, string>> = {
	astro: "public/style.css",
	express: "public/style.css",
	next: "app/style.css",
	selling: "style.css",
	"sign-in": "style.css",
};

/** The folder of what people take from the service, such as the SDK; undefined where the sources are run, which have first to make it. */
export const DOWNLOADS = IS_BUILT ? new URL("./downloads/", import.meta.url) : undefined;

/** The path of a program: a TypeScript file that is named from `base`, the module that starts it. */
export function programPath(file: string, base: string): string {
	return fileURLToPath(new URL(IS_BUILT ? file.replace(/\.ts$/, ".js") : file, base));
}

interface ProgramOptions {
	readonly args: readonly string[];
	/** All of its environment, but for what the runtime itself needs. */
	readonly env?: Readonly<Record<string, string>>;
	readonly stdio: StdioOptions;
	/** Called after the start has returned, perhaps more than once: why there is no process, or what went wrong with it later. */
	readonly failed: (reason: string) => void;
}

/** Starts a program in a process of its own. Undefined where the system has no descriptors, no process or no memory left for it. */
export function startProgram(program: string, { args, env, stdio, failed }: ProgramOptions): ChildProcess | undefined {
	try {
		const child = spawn(process.execPath, [...runtimeArguments(), program, ...args], {
			env: { ...RUNTIME_ENVIRONMENT, ...env },
			cwd: dirname(program),
			stdio,
		});
		child.on("error", (error) => failed(error.message));
		if (child.pid !== undefined) return child;
		// It has no pipes either, and its error comes before this, where the runtime tells of one.
		setImmediate(failed, "it could not be started");
	} catch (cause) {
		// What Node throws where memory is short.
		setImmediate(failed, cause instanceof Error ? cause.message : String(cause));
	}
	return undefined;
}

/**
 * What stands before a program's path on the command line of `process.execPath`. The program's globals have `gc`, and no `.env` file
 * beside its working directory is read.
 */
function runtimeArguments(): string[] {
	const { bun, deno } = process.versions;
	if (bun !== undefined) return ["--smol", "--expose-gc", "--no-env-file"];
	if (deno !== undefined) return ["run", "--allow-all", "--no-prompt", "--v8-flags=--expose-gc"];
	return ["--expose-gc"];
}
