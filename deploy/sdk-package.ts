import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { type Package, type Packed, packageOf, ROOT, type Sources, writePackage } from "./package-files.ts";

/** What can be imported: `index` under the package's own name, every other one below it. All else is inside. */
export const ENTRIES = [
	...["index", "client", "management", "transform", "picture", "sign-url", "failure", "shapes", "lists", "types"],
	...["hono", "express", "next", "unpic", "astro", "nuxt", "ticket-upload", "uppy", "filepond"],
] as const;

/** The entries that stand in a folder of the room. */
const FOLDERS: Readonly<Record<string, string>> = {
	...{ hono: "frameworks", express: "frameworks", next: "frameworks", unpic: "frameworks", astro: "frameworks" },
	...{ nuxt: "frameworks", "ticket-upload": "uploads", uppy: "uploads", filepond: "uploads" },
};

const TRANSPILER = new Bun.Transpiler({ loader: "ts", target: "browser" });
/** What a module names others of the room by, in a package and in its sources. */
const NEIGHBOUR = /((?:from|import\(|import) ?")(\.[^"]+)\.ts"/g;

/** The path of an entry's module in the room, without what its name ends in. */
export function moduleOf(entry: string): string {
	const folder = FOLDERS[entry];
	return folder === undefined ? entry : `${folder}/${entry}`;
}

/** Makes `@svc/sdk` as it is published: a module for each source file, with its declarations, which stand in the room. */
export async function sdkPackage({ root = ROOT }: Sources = {}): Promise<Package> {
	const room = join(root, "packages", "sdk");
	const built = new Map([...(await modulesOf(room)), ...(await declarationsOf(room))]);
	return await packageOf(room, { root, built, fields: { files: ["dist"], exports: exportsOf(ENTRIES) } });
}

export async function packSdk(to: string): Promise<Packed> {
	return await writePackage(to, await sdkPackage());
}

/** `ticket-upload` in one file, for pages without a bundler. */
export async function ticketUpload({ root = ROOT }: Sources = {}): Promise<string> {
	const { outputs } = await Bun.build({
		entrypoints: [join(root, "packages", "sdk", `${moduleOf("ticket-upload")}.ts`)],
		target: "browser",
		format: "esm",
		minify: { whitespace: true, syntax: true },
	});
	return (await outputs[0]?.text()) ?? "";
}

/** One module a file: bundlers drop what is not used, and a stack names the file that everybody can read. */
async function modulesOf(room: string): Promise<ReadonlyMap<string, string>> {
	const modules = new Map<string, string>();
	const names = ENTRIES.map(moduleOf);
	for (const name of names) {
		const text = await TRANSPILER.transform(await readFile(join(room, `${name}.ts`), "utf8"));
		for (const [, , neighbour = ""] of text.matchAll(NEIGHBOUR)) {
			const other = posix.join(posix.dirname(name), neighbour);
			if (!names.includes(other)) names.push(other);
		}
		modules.set(`dist/${name}.js`, text.replaceAll(NEIGHBOUR, '$1$2.js"'));
	}
	return modules;
}

/** @throws Error where an entry has none */
async function declarationsOf(room: string): Promise<ReadonlyMap<string, string>> {
	const folder = join(room, "declarations");
	const missing = ENTRIES.filter((entry) => !existsSync(join(folder, `${moduleOf(entry)}.d.ts`)));
	if (missing.length > 0) throw new Error(`${missing.join(", ")} of the SDK has no declarations: npm run generate`);
	const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".d.ts")).sort();
	const texts = names.map(
		async (name) => [`dist/${name.split(sep).join("/")}`, await readFile(join(folder, name), "utf8")] as const,
	);
	return new Map(await Promise.all(texts));
}

function exportsOf(entries: readonly string[]): Record<string, unknown> {
	const modules = entries.map((entry) => [
		entry === "index" ? "." : `./${entry}`,
		{ types: `./dist/${moduleOf(entry)}.d.ts`, default: `./dist/${moduleOf(entry)}.js` },
	]);
	return { ...Object.fromEntries(modules), "./package.json": "./package.json" };
}
