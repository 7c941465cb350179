import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { Glob, resolveSync, Transpiler } from "bun";

/*
 * Builds the server once for each interface version, with that version alone, and says which modules the build does not reach. What only an
 * older version needs stands in its folder, so that the folder can be deleted; and what no version needs is dead.
 */

/** The file that knows all versions, a line each: `export { name } from "…";`. */
const VARIANTS = "apps/server/variants.ts";
const SERVER = "apps/server/main.ts";
/** The version that stays when the others are gone, and the folders that hold what lives for others only. */
const LASTING = "current";
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
	"apps/versions/legacy/": ["legacy"],
	"apps/versions/transition/": ["transition"],
	"apps/versions/until-4.4/": ["legacy", "transition"],
};

export interface Reached {
	readonly alone: Readonly<Record<string, { readonly unreached: readonly string[] }>>;
	/** Modules that no version reaches, and no other entry. */
	readonly orphans: readonly string[];
}

/** Modules are paths from the root of the checkout. */
export async function reachOfVariants(root: string): Promise<Reached> {
	const modules = modulesOf(root);
	const tools = await reached(root, toolEntries(root));
	const names = [...readFileSync(join(root, VARIANTS), "utf8").matchAll(LINE)].map(([, name = ""]) => name);
	const alone: Record<string, { unreached: string[] }> = {};
	for (const name of names) {
		const all = await reached(root, [SERVER], name);
		alone[name] = { unreached: modules.filter((module) => !all.has(module) && !tools.has(module)) };
	}
	const lists = Object.values(alone).map(({ unreached }) => new Set(unreached));
	return { alone, orphans: modules.filter((module) => lists.every((list) => list.has(module))) };
}

/** What is wrong with it, a line each. */
export function misplaced({ alone, orphans }: Reached, root: string): readonly string[] {
	const dead = orphans.map((module) => `${module} is reached by no interface version`);
	const stray = (alone[LASTING]?.unreached ?? [])
		.filter((module) => folderOf(module) === undefined && !orphans.includes(module))
		.map((module) => `${module} is needed by older interface versions alone, and stands in none of their folders`);
	const leaked = Object.entries(alone).flatMap(([name, { unreached }]) =>
		modulesOf(root)
			.filter((module) => (FOLDERS[folderOf(module) ?? ""] ?? [name]).every((owner) => owner !== name))
			.filter((module) => !unreached.includes(module))
			.map((module) => `${module} is reached by ${name}, for which its folder is not`),
	);
	return [...dead, ...stray, ...leaked];
}

/** What is started by its path: the command line, and the service where there is no Bun. */
const PROGRAMS = ["cli/main.ts", "apps/server/runtime/main.ts"];

const LINE = /^export \{ (\w+) \} from .*$/gm;

function folderOf(module: string): string | undefined {
	return Object.keys(FOLDERS).find((folder) => module.startsWith(folder));
}

/** Tests, declarations and the configuration of tools are left out. */
function modulesOf(root: string): readonly string[] {
	const found = ["apps", "packages"].flatMap((folder) => [
		...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: root, followSymlinks: false }),
	]);
	return found.filter((path) => !/node_modules\/|\/dist\/|\.test\.tsx?$|\.d\.ts$|\.config\.ts$/.test(path)).sort();
}

/** What the scripts of packages name, besides the server: the SDK's own entries, the command line, and tools. */
function toolEntries(root: string): readonly string[] {
	const folders = [
		...["", "cli/"],
		...["apps", "packages"].flatMap((one) => readdirSync(join(root, one)).map((name) => `${one}/${name}/`)),
	];
	const scripts = folders.flatMap((folder) => {
		const file = join(root, folder, "package.json");
		if (!existsSync(file)) return [];
		const { scripts = {} } = JSON.parse(readFileSync(file, "utf8")) as { scripts?: Record<string, string> };
		return Object.values(scripts)
			.flatMap((script) => script.match(/[\w./-]+\.ts\b/g) ?? [])
			.map((path) => `${folder}${path}`)
			.filter((path) => /^(apps|packages|cli)\//.test(path) && path !== SERVER && existsSync(join(root, path)));
	});
	const published = [...new Glob("packages/sdk/**/*.ts").scanSync({ cwd: root, followSymlinks: false })].filter(
		(path) => !/node_modules|\.(test|d)\.ts$/.test(path),
	);
	return [...new Set([...scripts, ...published, ...PROGRAMS])].filter((path) => existsSync(join(root, path)));
}

/** The modules that the entries need, with one interface version alone. */
async function reached(root: string, entries: readonly string[], variant?: string): Promise<ReadonlySet<string>> {
	const all = new Set<string>();
	// Programs of their own that a module starts: a build does not follow them.
	for (let next = entries; next.length > 0; ) {
		const loaded = await build(root, next, variant);
		const fresh = loaded.filter((module) => !all.has(module));
		for (const module of loaded) all.add(module);
		next = fresh.flatMap((module) => programsOf(root, module)).filter((module) => !all.has(module));
	}
	addTypes(root, all, variant);
	return all;
}

/** The modules of a bundle. */
async function build(
	root: string,
	entries: readonly string[],
	variant: string | undefined,
): Promise<readonly string[]> {
	const loaded = new Set<string>();
	const { success, logs } = await Bun.build({
		entrypoints: entries.map((entry) => join(root, entry)),
		target: "bun",
		throw: false,
		// The only one of ours is the script that pages load: its attribute does not get past the plugin below.
		loader: { ".js": "text" },
		plugins: [
			{
				name: "modules",
				setup(builder) {
					builder.onResolve({ filter: /.*/ }, ({ path, importer }) =>
						isOurs(path) ? { path: resolveSync(path, importer ? dirname(importer) : root) } : { path, external: true },
					);
					builder.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
						const module = relative(root, path);
						loaded.add(module);
						return { contents: sourceOf(root, module, variant), loader: path.endsWith("x") ? "tsx" : "ts" };
					});
				},
			},
		],
	});
	if (!success) throw new AggregateError(logs, `the server cannot be built with ${variant ?? "its entries"} alone`);
	return [...loaded];
}

function isOurs(specifier: string): boolean {
	return /^[./]|^@svc\//.test(specifier);
}

function sourceOf(root: string, module: string, variant: string | undefined): string {
	const text = readFileSync(join(root, module), "utf8");
	if (module !== VARIANTS) return text;
	return text.replace(LINE, (line, name: string) => (name === variant ? line : ""));
}

/** What a module names by its path, without importing it: `new URL("./program.ts", …)`. */
function programsOf(root: string, module: string): readonly string[] {
	return [...codeOf(root, module).matchAll(/(?<!from |import\()"(\.{1,2}\/[\w./-]+\.ts)"/g)]
		.map(([, path = ""]) => join(dirname(module), path))
		.filter((path) => existsSync(join(root, path)));
}

const transpilers = { ts: new Transpiler({ loader: "ts" }), tsx: new Transpiler({ loader: "tsx" }) };

/** A module without its types. */
function codeOf(root: string, module: string): string {
	return transpilers[module.endsWith("x") ? "tsx" : "ts"].transformSync(readFileSync(join(root, module), "utf8"));
}

/** Types leave nothing in a bundle: a module that holds nothing else is reached when a reached one imports from it. */
function addTypes(root: string, all: Set<string>, variant: string | undefined): void {
	// What is added is visited as well.
	for (const module of all) {
		for (const imported of importsOf(root, module, variant)) {
			if (all.has(imported) || codeOf(root, imported).trim() !== "") continue;
			all.add(imported);
		}
	}
}

function importsOf(root: string, module: string, variant: string | undefined): readonly string[] {
	// At the beginning of a line: what a module writes about others stands further in.
	return [...sourceOf(root, module, variant).matchAll(/^(?:(?:import|export)\s.*|\} )from\s+"([^"]+)"/gm)]
		.map(([, specifier = ""]) => specifier)
		.filter(isOurs)
		.map((specifier) => relative(root, resolveSync(specifier, dirname(join(root, module)))))
		.filter((path) => /^(apps|packages)\/.*\.tsx?$/.test(path));
}

if (import.meta.main) {
	const root = join(import.meta.dirname, "../..");
	const reach = await reachOfVariants(root);
	process.stdout.write(`${JSON.stringify(reach, null, "\t")}\n`);
	const wrong = misplaced(reach, root);
	for (const line of wrong) process.stderr.write(`${line}\n`);
	process.exitCode = wrong.length > 0 ? 1 : 0;
}
