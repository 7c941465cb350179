import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Of a package, in the path of a module of it. */
const PACKAGE = /node_modules\/\.bun\/[^/]+\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The licences of all packages whose modules are in a bundle: they ask that their text goes with every copy. */
export async function licenceTexts(root: string, modules: readonly string[]): Promise<string> {
	const named = modules.flatMap((path) => PACKAGE.exec(path.replaceAll("\\", "/"))?.[0] ?? []);
	const texts = await Promise.all([...new Set(named)].sort().map((folder) => licenceOf(join(root, folder))));
	return `What svc is made of, and under which licences.\n\n${texts.join("\n\n")}\n`;
}

async function licenceOf(folder: string): Promise<string> {
	const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
	const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
	const text = file === undefined ? "Its package has no text of it." : await readFile(join(folder, file), "utf8");
	const title = `${manifest.name} ${manifest.version} (${manifest.license})`;
	return `${title}\n${"-".repeat(title.length)}\n${text.trim()}`;
}
