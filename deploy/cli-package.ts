import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { licenceTexts } from "./licence-texts.ts";
import { type Package, type Packed, packageOf, ROOT, type Sources, writePackage } from "./package-files.ts";

const PART = /part-[0-9a-z]{8}\.mjs/g;

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
	const files = outputs.map(async (file) => [basename(file.path), inAscii(await file.text())] as const);
	return { files: renamed(new Map(await Promise.all(files))), parts: Object.keys(metafile?.inputs ?? {}) };
}

/** Bun reads what it is told to be JavaScript already byte by byte, as Latin-1: other letters are written as escapes, which mean the same in every string. */
function inAscii(text: string): string {
	return text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The bundler names a part also by the folder that it was called in; equal sources make equal packages, so that each is named by what is in it. */
function renamed(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
	const names = new Map(
		[...files].map(([name, text]) => {
			const digest = createHash("sha256").update(text.replaceAll(PART, "")).digest("hex").slice(0, 8);
			return [name, name.startsWith("part-") ? `part-${digest}.mjs` : name];
		}),
	);
	if (new Set(names.values()).size < files.size) throw new Error("two parts of the CLI are alike but for their names");
	const named = (text: string) => text.replaceAll(PART, (name) => names.get(name) ?? name);
	return new Map([...files].map(([name, text]) => [`dist/${names.get(name)}`, named(text)]));
}
