import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { productModules } from "./source-tree.ts";

/* The root package.json lists the workspaces from the lowest room to the highest. Each may depend only on those above it in that list. */

/** The same inside of a room: its files and folders from the lowest to the highest. What is not named stands above them all. */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
	"packages/billing": [
		"ports.ts",
		"patience.ts",
		"plans",
		"subscription.ts",
		"mails",
		"subscriptions",
		"payers",
		"operators",
		"processor",
	],
};

/** The door of a room may be seen from everywhere in it: rules take the room as their first argument. */
const DOOR = "room.ts";

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
	const inside = Object.entries(INSIDE).flatMap(([room, parts]) => brokenInside(root, room, parts));
	return [...upward, ...unlisted(root, workspaces), ...inside];
}

/** Imports within a room, those of types too, that lead to a part which stands higher. */
export function brokenInside(root: string, room: string, parts: readonly string[]): readonly string[] {
	const heightOf = (path: string): number => {
		const height = parts.indexOf(path.slice(room.length + 1).split("/")[0] ?? "");
		return height < 0 ? parts.length : height;
	};
	return productModules(root, room).flatMap(({ path, imports }) =>
		imports
			.filter((imported) => imported.startsWith(`${room}/`) && imported !== `${room}/${DOOR}`)
			.filter((imported) => heightOf(imported) > heightOf(path))
			.map((imported) => `${path} imports ${imported}, which stands higher in ${room}`),
	);
}

/** The drawings of the house, by the file that has them: what a line names, of which one begins with each workspace. */
const DRAWINGS = {
	// Names stand in its first 45 columns, folders of `packages` without that word.
	"CONTRIBUTING.md": {
		begins: "## Where things are",
		namesOf: (line: string) => line.slice(0, 45).match(/[a-z][a-z/-]*/g),
	},
	"docs/architecture.md": { begins: "## The tree", namesOf: (line: string) => line.match(/^[a-z][a-z/-]*(?=\/ )/) },
} as const;
/** What lies beside the workspaces. */
const NO_WORKSPACE: ReadonlySet<string> = new Set(["drizzle"]);

/** Where a drawing of the house lacks a workspace, or has one that is not there. */
export function undrawn(root: string, { workspaces = [] } = readManifest(root)): string[] {
	const shortOf = (folder: string) => folder.replace(/^packages\//, "");
	const known = new Set(workspaces.map(shortOf));
	return Object.entries(DRAWINGS).flatMap(([file, { begins, namesOf }]) => {
		const drawing = readFileSync(join(root, file), "utf8").split(begins)[1]?.split("```")[1] ?? "";
		const names = new Set(
			drawing
				.split("\n")
				.flatMap((line) => namesOf(line) ?? [])
				.map(shortOf),
		);
		return [
			...[...known].filter((name) => !names.has(name)).map((name) => `the drawing in ${file} lacks ${name}`),
			...[...names]
				.filter((name) => !known.has(name) && !NO_WORKSPACE.has(name))
				.map((name) => `the drawing in ${file} has ${name}, which is no workspace`),
		];
	});
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
	const root = join(import.meta.dirname, "../..");
	const broken = [...brokenOrder(root), ...undrawn(root)];
	for (const line of broken) process.stderr.write(`${line}\n`);
	process.exitCode = broken.length > 0 ? 1 : 0;
}
