import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { licenceTexts } from "./licence-texts.ts";
import { type Package, type Packed, packageOf, ROOT, type Sources, writePackage } from "./package-files.ts";

/** Makes `@svc/cli` as it is published: all of it bundled, so that nothing else has to be installed. */
export async function cliPackage({ root = ROOT }: Sources = {}): Promise<Package> {
	const room = join(root, "cli");
	const { files, parts } = await buildProgram(room);
	const built = new Map([
		...files,
		["dist/svc.mjs", await readFile(join(room, "svc.mjs"), "utf8")],
		["THIRD_PARTY_LICENSES", await licenceTexts(root, parts)],
	]);
	const fields = { bin: { svc: "dist/svc.mjs" }, files: ["dist", "THIRD_PARTY_LICENSES"] };
	return await packageOf(room, { root, built, fields });
}

export async function packCli(to: string): Promise<Packed> {
	return await writePackage(to, await cliPackage());
}

interface Program {
	readonly files: ReadonlyMap<string, string>;
	/** The paths of all modules that are in it. */
	readonly parts: readonly string[];
}

/**
 * One file for what every command needs, and one for each part that some load: read whole, the program would take fourteen times as long to
 * start as Bun alone. The first line tells Bun that a file is JavaScript already.
 */
async function buildProgram(room: string): Promise<Program> {
	const { outputs, metafile } = await Bun.build({
		entrypoints: [join(room, "main.ts")],
		naming: { entry: "program.mjs", chunk: "part-[hash].mjs" },
		target: "node",
		format: "esm",
		splitting: true,
		minify: true,
		metafile: true,
		banner: "// @bun",
		external: ["*/devtools.js"],
		define: { "process.env.NODE_ENV": "'production'" },
	});
	const files = outputs.map(async (file) => [`dist/${basename(file.path)}`, await file.text()] as const);
	return { files: new Map(await Promise.all(files)), parts: Object.keys(metafile?.inputs ?? {}) };
}
