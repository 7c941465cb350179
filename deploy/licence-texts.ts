import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./package-files.ts";

/** Of a package that a bundle was made from, as the bundler names it in a comment before each file. */
const BUNDLED = /node_modules\/\.bun\/[^/\s]+\/node_modules\/(?:@[^/\s]+\/)?[^/\s]+(?=\/)/g;

/** The licences of all packages whose code is in a bundle: they ask that their text goes with every copy. */
export async function licenceTexts(bundle: string): Promise<string> {
	const folders = [...new Set((await readFile(bundle, "utf8")).match(BUNDLED) ?? [])].sort();
	const texts = await Promise.all(folders.map((folder) => licenceOf(join(ROOT, folder))));
	return `What svc is made of, and under which licences.\n\n${texts.join("\n\n")}\n`;
}

async function licenceOf(folder: string): Promise<string> {
	const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
	const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
	const text = file === undefined ? "Its package has no text of it." : await readFile(join(folder, file), "utf8");
	const title = `${manifest.name} ${manifest.version} (${manifest.license})`;
	return `${title}\n${"-".repeat(title.length)}\n${text.trim()}`;
}
