import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/* The root package.json lists the workspaces from the lowest room to the highest. Each may depend only on those above it in that list. */

interface Manifest {
	readonly name: string;
	readonly workspaces?: readonly string[];
	readonly dependencies?: Readonly<Record<string, string>>;
}

/** What breaks the order of the rooms in a checkout, a line each; tests may look upwards, so `devDependencies` do not count. */
export function brokenOrder(root: string): string[] {
	const { workspaces = [] } = readManifest(root);
	const rooms = workspaces.map((folder) => ({ folder, ...readManifest(join(root, folder)) }));
	const heights = new Map(rooms.map(({ name }, height) => [name, height]));
	const upward = rooms.flatMap(({ folder, dependencies = {} }, height) =>
		Object.keys(dependencies)
			.filter((name) => (heights.get(name) ?? -1) >= height)
			.map((name) => `${folder} depends on ${name}, which stands higher in the workspaces of package.json`),
	);
	return [...upward, ...unlisted(root, workspaces)];
}

function unlisted(root: string, workspaces: readonly string[]): string[] {
	return ["apps", "packages"]
		.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
		.filter((folder) => !workspaces.includes(folder))
		.map((folder) => `${folder} has no place in the workspaces of package.json`);
}

function readManifest(folder: string): Manifest {
	return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

if (import.meta.main) {
	const broken = brokenOrder(join(import.meta.dirname, "../.."));
	for (const line of broken) process.stderr.write(`${line}\n`);
	process.exitCode = broken.length > 0 ? 1 : 0;
}
