import { readdir, readFile, realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";

/* What of an assembled folder is still needed once the service is built: the packages that are beside it, and what the command line runs from. */

/** Removes the rooms, and their links to packages, that none of `keeping` depends on; `keeping` are folders. */
export async function dropRooms(root: string, keeping: readonly string[]): Promise<void> {
	const kept = new Set<string>();
	const keep = async (folder: string) => {
		if (kept.has(folder)) return;
		kept.add(folder);
		for (const room of await roomsOf(join(root, folder))) await keep(join("packages", room));
	};
	for (const folder of keeping) await keep(folder);
	await rm(join(root, "apps"), { recursive: true });
	for (const room of await readdir(join(root, "packages")))
		if (!kept.has(join("packages", room))) await rm(join(root, "packages", room), { recursive: true });
}

/** The rooms of `packages` that a workspace depends on. */
async function roomsOf(folder: string): Promise<readonly string[]> {
	const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
	const names = Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith("@svc/"));
	return names.map((name) => name.slice("@svc/".length)).filter((name) => name !== "tui" && name !== "cli");
}

interface Manifest {
	readonly dependencies?: Readonly<Record<string, string>>;
}

/** The names in `node_modules/.bun` to which something leads from what is left. */
export async function packagesInUse(root: string): Promise<ReadonlySet<string>> {
	const store = await realpath(join(root, "node_modules", ".bun"));
	const inUse = new Set<string>();
	async function follow(folder: string): Promise<void> {
		for (const link of await linksIn(folder)) {
			const [entry = ""] = relative(store, await realpath(link).catch(() => root)).split(/[\\/]/);
			if (entry === ".." || entry === "" || inUse.has(entry)) continue;
			inUse.add(entry);
			await follow(join(store, entry, "node_modules"));
		}
	}
	for (const room of [
		"server",
		"cli",
		"tui",
		...(await names(join(root, "packages"))).map((name) => join("packages", name)),
	])
		await follow(join(root, room, "node_modules"));
	return inUse;
}

/** The packages of a `node_modules` folder, those of a scope too. */
async function linksIn(folder: string): Promise<readonly string[]> {
	const found: string[] = [];
	for (const name of await names(folder)) {
		if (name.startsWith("@")) found.push(...(await names(join(folder, name))).map((one) => join(folder, name, one)));
		else found.push(join(folder, name));
	}
	return found;
}

function names(folder: string): Promise<readonly string[]> {
	return readdir(folder).catch(() => []);
}
