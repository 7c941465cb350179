import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "@svc/deploy/package-files";
import { ENTRIES, moduleOf } from "@svc/deploy/sdk-package";

/* The declarations of the SDK, which are part of its package. They are committed, so that a machine without a compiler can pack it. `npm run generate` writes them. */

const ROOM = join(ROOT, "packages", "sdk");
export const DECLARATIONS = join(ROOM, "declarations");

/** By their file names. @throws Error with what the compiler says */
export function declarations(): ReadonlyMap<string, string> {
	const folder = mkdtempSync(join(tmpdir(), "svc-declarations-"));
	try {
		compile(folder);
		const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"));
		const read = (name: string) => [name, named(readFileSync(join(folder, name), "utf8"))] as const;
		return new Map(names.sort().map(read));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function compile(outDir: string): void {
	const flags = [
		...["--ignoreConfig", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
		...["--declaration", "--emitDeclarationOnly"],
		...["--target", "ES2022", "--module", "nodenext", "--lib", "ES2023,DOM,DOM.Iterable,DOM.AsyncIterable"],
		// No types but the web's: what only one runtime has cannot slip in.
		...["--types", ""],
		...["--rewriteRelativeImportExtensions", "--verbatimModuleSyntax", "--rootDir", ROOM, "--outDir", outDir],
	];
	const files = ENTRIES.map((entry) => join(ROOM, `${moduleOf(entry)}.ts`));
	const done = spawnSync(process.execPath, ["x", "--no-install", "tsc", ...flags, ...files], {
		cwd: ROOT,
		encoding: "utf8",
	});
	if (done.status !== 0) throw new Error(`the SDK could not be compiled:\n${done.stdout}${done.stderr}`);
}

/** The compiler names the sources in declarations, which are not in the package. */
function named(text: string): string {
	return text.replaceAll(/((?:from|import\() ?"\.[^"]+)\.ts"/g, '$1.js"');
}

if (import.meta.main) {
	await rm(DECLARATIONS, { recursive: true, force: true });
	await mkdir(DECLARATIONS);
	for (const [name, text] of declarations()) {
		await mkdir(dirname(join(DECLARATIONS, name)), { recursive: true });
		await writeFile(join(DECLARATIONS, name), text);
	}
}
