import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { emptyFolder, finishPackage, type Packed, ROOT, run } from "./package-files.ts";

const ROOM = join(ROOT, "packages", "sdk");

/** What can be imported: `index` under the package's own name, every other one below it. All else is inside. */
export const ENTRIES = [
	...["index", "client", "management", "transform", "picture", "sign-url", "failure", "shapes", "lists", "types"],
	...["next", "unpic", "astro", "nuxt", "ticket-upload", "uppy", "filepond"],
] as const;

/** Makes `@svc/sdk` as it is published: a module for each source file, with its declarations. */
export async function packSdk(to: string): Promise<Packed> {
	const folder = join(to, "sdk");
	const dist = join(folder, "dist");
	await emptyFolder(folder);
	compile(dist);
	await nameDeclarations(dist);
	return await finishPackage(ROOM, { folder, to, fields: { files: ["dist"], exports: exportsOf(ENTRIES) } });
}

/** The compiler writes one module a file: bundlers drop what is not used, and a stack names the file that everybody can read. */
function compile(outDir: string): void {
	const flags = [
		...["--ignoreConfig", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--declaration"],
		...["--target", "ES2022", "--module", "nodenext", "--lib", "ES2023,DOM,DOM.Iterable,DOM.AsyncIterable"],
		// No types but the web's: what only one runtime has cannot slip in.
		...["--types", ""],
		...["--rewriteRelativeImportExtensions", "--verbatimModuleSyntax", "--rootDir", ROOM, "--outDir", outDir],
	];
	const files = ENTRIES.map((entry) => join(ROOM, `${entry}.ts`));
	run("the SDK could not be compiled", ["x", "--no-install", "tsc", ...flags, ...files], ROOT);
}

/** The compiler names the sources in declarations, which are not in the package. */
async function nameDeclarations(folder: string): Promise<void> {
	for (const name of (await readdir(folder)).filter((name) => name.endsWith(".d.ts"))) {
		const text = await readFile(join(folder, name), "utf8");
		await writeFile(join(folder, name), text.replaceAll(/((?:from|import\() ?"\.\/[^"]+)\.ts"/g, '$1.js"'));
	}
}

function exportsOf(entries: readonly string[]): Record<string, unknown> {
	const modules = entries.map((entry) => [
		entry === "index" ? "." : `./${entry}`,
		{ types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
	]);
	return { ...Object.fromEntries(modules), "./package.json": "./package.json" };
}
