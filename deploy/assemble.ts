import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { bundleService } from "./bundle.ts";
import { dropRooms, packagesInUse } from "./in-use.ts";
import { type Platform, platformOf, thisPlatform } from "./platform.ts";

/* Puts together what the service needs to run, and nothing else: the service built, the packages that cannot be part of it, and for the command line
   its rooms and packages, without what only builders and editors read. The executable and the container image are both made of this. */

const ROOT = join(import.meta.dirname, "..");

/** Copied as they are. The lock file names every room, so that the manifests of all of them are needed to install by it. */
const SOURCES = [
	"package.json",
	"bun.lock",
	"tsconfig.json",
	"LICENSE",
	"THIRD_PARTY_NOTICES.md",
	"drizzle",
	"docs",
	"examples",
	"packages",
	"apps",
];
const MANIFESTS = ["cli", "tui", "test", "deploy"];

/** Of the rooms: tests, what is installed here, what was built here. */
const NOT_COPIED = /(^|\/)(node_modules|dist|fixtures)(\/|$)|\.test\.tsx?$|^drizzle\/meta(\/|$)/;

/** Of the packages: types, maps and texts, but for licences. */
const NOT_RUN =
	/\.(map|d\.[mc]?ts|[mc]?d\.ts|mdx?|flow|markdown|cc|h|zip|ya?ml)$|(^|\/)(test|tests|docs|example|examples|benchmarks?)\/(?=.*\.|perf)/i;
const LICENCE = /licen[cs]e|notice|copying|third.party/i;

/** Packages that another one asks for and that never run: compilers and types. */
const NEVER_RUN = /^(@types\+|typescript@|@typescript\+|bun-types@|undici-types@|csstype@|@scalar\+openapi-types@)/;

/** The driver of the database has a package for each of the two C libraries of Linux, and an installer takes both. */
const FOREIGN = /-musl@/;

/** Of a package, by its name: the larger files that we use one way of several of. */
const UNUSED: Readonly<Record<string, RegExp>> = {
	// We load its ordinary and its compatible build; threads and suspension are for browsers.
	"@litertjs/core": /_(jspi|threaded)_/,
	// The bundle has its WebAssembly inside.
	"libheif-js": /^libheif\/|libheif-bundle\.mjs$|libheif-wasm\/libheif\.(wasm|js)$/,
	"react-dom": /(development|profiling)|^umd\//,
	bintrees: /^test\//,
};

export interface Assembly {
	readonly to: string;
	readonly platform: Platform;
	/** Whether the `svc` command goes with it. */
	readonly withCli: boolean;
}

/** @throws Error when packages cannot be installed */
export async function assemble({ to, platform, withCli }: Assembly): Promise<void> {
	await rm(to, { recursive: true, force: true });
	await mkdir(to, { recursive: true });
	const kept = withCli ? [...SOURCES, "cli", "tui"] : SOURCES;
	for (const name of kept) {
		const filter = (source: string) => !NOT_COPIED.test(slashed(relative(ROOT, source)));
		await cp(join(ROOT, name), join(to, name), { recursive: true, filter });
	}
	for (const room of MANIFESTS) await cp(join(ROOT, room, "package.json"), join(to, room, "package.json"));
	install(to, platform, withCli);
	await bundleService(join(to, "server"), { root: to, cliRoot: withCli ? to : ROOT, target: "bun" });
	await dropRooms(to, withCli ? ["cli", "tui"] : []);
	for (const name of ["docs", "examples", "drizzle", ...MANIFESTS.filter((room) => !kept.includes(room))])
		await rm(join(to, name), { recursive: true });
	await prune(to);
}

function install(to: string, { os, cpu }: Platform, withCli: boolean): void {
	const rooms = ["@svc/server", ...(withCli ? ["@svc/cli"] : [])].flatMap((room) => ["--filter", room]);
	const flags = [
		"--frozen-lockfile",
		"--production",
		"--ignore-scripts",
		"--linker",
		"isolated",
		"--backend",
		"copyfile",
	];
	const made = spawnSync(process.execPath, ["install", ...flags, "--os", os, "--cpu", cpu, ...rooms], {
		cwd: to,
		encoding: "utf8",
	});
	if (made.status !== 0) throw new Error(`the packages could not be installed: ${made.stderr}`);
}

async function prune(to: string): Promise<void> {
	const store = join(to, "node_modules", ".bun");
	const inUse = await packagesInUse(to);
	for (const name of await readdir(store)) {
		if (NEVER_RUN.test(name) || FOREIGN.test(name)) await rm(join(store, name), { recursive: true });
	}
	for (const file of await filesIn(store)) if (isSuperfluous(file, inUse)) await rm(join(store, file));
	await removeEmpty(store);
	// What led to a package that is gone goes, too.
	for (const file of await filesIn(store)) if (!existsSync(join(store, file))) await rm(join(store, file));
	await removeEmpty(store);
}

/** `file` is a path in the store. Links to packages are none of it. */
function isSuperfluous(file: string, inUse: ReadonlySet<string>): boolean {
	const [, entry, name = "", path = ""] = /^([^/]+)\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.+)$/.exec(file) ?? [];
	if (entry === undefined || isLicence(path)) return false;
	// Of what became part of the service its name stays as well.
	return inUse.has(entry) ? isUnused(name, path) : path !== "package.json";
}

function isUnused(name: string, path: string): boolean {
	return NOT_RUN.test(path) || UNUSED[name]?.test(path) === true;
}

function isLicence(path: string): boolean {
	return LICENCE.test(path.split("/").at(-1) ?? "");
}

/** Relative paths of all files and links, with `/` in between, in one order everywhere; links are not followed. */
export async function filesIn(folder: string): Promise<readonly string[]> {
	const found: string[] = [];
	for (const entry of await readdir(folder, { withFileTypes: true })) {
		if (!entry.isDirectory()) found.push(entry.name);
		else for (const file of await filesIn(join(folder, entry.name))) found.push(`${entry.name}/${file}`);
	}
	return found.sort();
}

/** @returns whether the folder is gone */
async function removeEmpty(folder: string): Promise<boolean> {
	const entries = await readdir(folder, { withFileTypes: true });
	const left = [];
	for (const entry of entries)
		if (!entry.isDirectory() || !(await removeEmpty(join(folder, entry.name)))) left.push(entry);
	if (left.length > 0) return false;
	await rmdir(folder);
	return true;
}

export function slashed(path: string): string {
	return path.split(sep).join("/");
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: {
			to: { type: "string", default: "dist/service" },
			platform: { type: "string", default: thisPlatform() },
			"with-cli": { type: "boolean", default: false },
		},
	});
	// Docker says amd64 where we say x64.
	const platform = platformOf(values.platform.replace("amd64", "x64"));
	const to = resolve(values.to);
	await assemble({ to, platform, withCli: values["with-cli"] });
	process.stdout.write(`${to}\n`);
}
