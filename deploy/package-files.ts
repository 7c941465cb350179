import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tarball } from "./tarball.ts";

/* What both packages have in common. A package is put together under a manifest that is made from the room's: in the workspace a room is its
   sources, and `private`, so that those are never published by mistake. Nothing but Bun is needed for it, no compiler: a service packs what it serves. */

export const ROOT = join(import.meta.dirname, "..");

/** Where packages are made of. */
export interface Sources {
	/** The checkout, or a copy of what it needs to run. */
	readonly root?: string;
}

export interface Package {
	readonly name: string;
	readonly version: string;
	/** `svc-sdk-0.1.0.tgz`: the version that is in its name names these bytes alone. */
	readonly file: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Packed extends Omit<Package, "bytes"> {
	/** The path: what `npm install` takes, and `npm publish`. */
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

/** With manifest, README and licence beside what was built. `fields` are those of the manifest that the room has otherwise. */
export async function packageOf(
	room: string,
	{
		root,
		fields,
		built,
	}: { readonly root: string; readonly fields: object; readonly built: ReadonlyMap<string, string> },
): Promise<Package> {
	const manifest = await manifestOf(room);
	const shared = SHARED_FIELDS.filter((field) => manifest[field] !== undefined);
	const own = Object.fromEntries(shared.map((field) => [field, manifest[field]]));
	const files = new Map([
		...built,
		["package.json", `${JSON.stringify({ ...own, ...fields }, undefined, "\t")}\n`],
		["README.md", await readFile(join(room, "README.md"), "utf8")],
		["LICENSE", await readFile(join(root, "LICENSE"), "utf8")],
	]);
	const { name, version } = manifest;
	return {
		...{ name, version, file: `${name.replace("@", "").replace("/", "-")}-${version}.tgz` },
		bytes: tarball(new Map([...files].map(([path, text]) => [path, new TextEncoder().encode(text)]))),
	};
}

/** Writes it into a folder, under its name. */
export async function writePackage(to: string, { bytes, ...packed }: Package): Promise<Packed> {
	await mkdir(to, { recursive: true });
	const path = join(to, packed.file);
	await writeFile(path, bytes);
	return { ...packed, tarball: path };
}
