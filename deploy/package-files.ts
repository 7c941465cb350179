import { spawnSync } from "node:child_process";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/* What both packages have in common. A package is put together in a folder of its own, under a manifest that is made from the room's:
   in the workspace a room is its sources, and `private`, so that those are never published by mistake. */

export const ROOT = join(import.meta.dirname, "..");

export interface Packed {
	readonly name: string;
	readonly version: string;
	/** What `npm install` takes, and `npm publish`. */
	readonly tarball: string;
}

/** The fields of a room's manifest that its package has, too. */
interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly [field: string]: unknown;
}

const SHARED_FIELDS = ["name", "version", "description", "keywords", "license", "type", "sideEffects", "engines"];

export async function manifestOf(room: string): Promise<Manifest> {
	return JSON.parse(await readFile(join(room, "package.json"), "utf8")) as Manifest;
}

export async function emptyFolder(path: string): Promise<void> {
	await rm(path, { recursive: true, force: true });
	await mkdir(path, { recursive: true });
}

/** Writes manifest, README and licence beside what was built, and packs all of it into `to`. */
export async function finishPackage(
	room: string,
	{ folder, to, fields }: { readonly folder: string; readonly to: string; readonly fields: object },
): Promise<Packed> {
	const manifest = await manifestOf(room);
	const shared = SHARED_FIELDS.filter((field) => manifest[field] !== undefined);
	const own = Object.fromEntries(shared.map((field) => [field, manifest[field]]));
	await writeFile(join(folder, "package.json"), `${JSON.stringify({ ...own, ...fields }, undefined, "\t")}\n`);
	await copyFile(join(room, "README.md"), join(folder, "README.md"));
	await copyFile(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
	run("the package could not be packed", ["pm", "pack", "--quiet", "--destination", to], folder);
	const { name, version } = manifest;
	return { name, version, tarball: join(to, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`) };
}

/** Runs this very runtime. @throws Error with all that it printed */
export function run(failure: string, words: readonly string[], cwd: string): void {
	const done = spawnSync(process.execPath, words, { cwd, encoding: "utf8" });
	if (done.status !== 0) throw new Error(`${failure}:\n${done.stdout}${done.stderr}`);
}
