import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { licenceTexts } from "./licence-texts.ts";
import { emptyFolder, finishPackage, type Packed, ROOT, run } from "./package-files.ts";

const ROOM = join(ROOT, "cli");

/** Makes `@svc/cli` as it is published: all of it bundled, so that nothing else has to be installed. */
export async function packCli(to: string): Promise<Packed> {
	const folder = join(to, "cli");
	const dist = join(folder, "dist");
	await emptyFolder(folder);
	await mkdir(dist);
	await buildProgram(dist);
	await writeFile(join(folder, "THIRD_PARTY_LICENSES"), await licencesOf(join(folder, "all.mjs")));
	await copyFile(join(ROOM, "svc.mjs"), join(dist, "svc.mjs"));
	return await finishPackage(ROOM, {
		folder,
		to,
		fields: { bin: { svc: "dist/svc.mjs" }, files: ["dist", "THIRD_PARTY_LICENSES"] },
	});
}

/**
 * One file for what every command needs, and one for each part that some load: read whole, the program would take fourteen times as long to
 * start as Bun alone. The first line tells Bun that a file is JavaScript already.
 */
async function buildProgram(to: string): Promise<void> {
	await Bun.build({
		entrypoints: [join(ROOM, "main.ts")],
		outdir: to,
		naming: { entry: "program.mjs", chunk: "part-[hash].mjs" },
		target: "node",
		format: "esm",
		splitting: true,
		minify: true,
		banner: "// @bun",
		external: ["*/devtools.js"],
		define: { "process.env.NODE_ENV": "'production'" },
	});
}

/** Of the program in one file, in which the bundler names where all of it is from. */
async function licencesOf(program: string): Promise<string> {
	run("the CLI could not be bundled", ["run", "build", "--outfile", program], ROOM);
	const texts = await licenceTexts(program);
	await rm(program);
	return texts;
}
