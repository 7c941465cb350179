import { fileURLToPath } from "node:url";

/* Programs that the service runs in processes of their own: where they are, and how the runtime that runs this one starts them. */

/** What is built for Node and Deno lies in one folder, and is JavaScript. */
const IS_BUILT = import.meta.url.endsWith(".js");

/** The migrations of this release. */
export const MIGRATIONS = new URL(IS_BUILT ? "./drizzle/" : "../../drizzle/", import.meta.url);

/** The folder of the documentation, with its pictures. */
export const DOCUMENTS = new URL(IS_BUILT ? "./docs/" : "../../docs/", import.meta.url);

/** The path of a program: a TypeScript file that is named from `base`, the module that starts it. */
export function programPath(file: string, base: string): string {
	return fileURLToPath(new URL(IS_BUILT ? file.replace(/\.ts$/, ".js") : file, base));
}

/**
 * What stands before a program's path on the command line of `process.execPath`. The program's globals have `gc`, and no `.env` file
 * beside its working directory is read.
 */
export function runtimeArguments(): string[] {
	const { bun, deno } = process.versions;
	if (bun !== undefined) return ["--smol", "--expose-gc", "--no-env-file"];
	if (deno !== undefined) return ["run", "--allow-all", "--no-prompt", "--v8-flags=--expose-gc"];
	return ["--expose-gc"];
}
