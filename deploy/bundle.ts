import { cp, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { BunPlugin } from "bun";
import manifest from "../package.json" with { type: "json" };
import { writeDownloads } from "./downloads.ts";

/*
 * Makes what Node and Deno run, and Bun starts faster from: one folder with the service and the programs that it starts, in JavaScript, and beside it the packages that cannot be part
 * of it, because they bring native code or files that are opened by name.
 */

const ROOT = join(import.meta.dirname, "..");

/** Each becomes one file; their names differ, because all lie in one folder. */
const PROGRAMS = [
	"apps/server/runtime/main.ts",
	"packages/imaging/workers/pool/program.ts",
	"packages/operator/backups/backup-worker.ts",
	"packages/operator/backups/check-worker.ts",
	"packages/finders/face-worker.ts",
	"packages/finders/subject-worker.ts",
	"packages/finders/onnx-worker.ts",
];

/** What stays a package of its own, and the room that depends on it. */
const PACKAGES = {
	sharp: "packages/imaging",
	libsql: "packages/base",
	"libheif-js": "packages/imaging",
	"@litertjs/core": "packages/finders",
} as const;

/** Only there where an operator has added it. */
const OPTIONAL = ["onnxruntime-node"];

/** What tries of an example leave in its folder. */
const LEFT = /[/\\](node_modules|dist|\.next|\.astro|[^/\\]+\.tgz)$/;

/** What tests put into the folder as well. */
interface More {
	readonly programs?: readonly string[];
	readonly plugins?: BunPlugin[];
	readonly packages?: Readonly<Record<string, string>>;
	/** `bun` for what Bun alone will run: it then reads the files as they are, and does not translate them at each start. */
	readonly target?: "bun" | "node";
	/** The checkout, or a copy of what it needs to run. The folder's links lead there, and go with it where the folder lies within. */
	readonly root?: string;
	/** Where the command line is installed, if that is elsewhere. */
	readonly cliRoot?: string | undefined;
}

/** @throws Error when something cannot be built */
export async function bundleService(
	to: string,
	{ programs = [], plugins = [], packages = {}, target = "node", root = ROOT, cliRoot }: More = {},
): Promise<void> {
	const outside = { ...PACKAGES, ...packages };
	await rm(to, { recursive: true, force: true });
	await mkdir(to, { recursive: true });
	await Bun.build({
		entrypoints: [...PROGRAMS, ...programs].map((program) => join(root, program)),
		outdir: to,
		plugins,
		target,
		format: "esm",
		splitting: true,
		naming: { entry: "[name].js" },
		external: [...Object.keys(outside), ...OPTIONAL],
		define: { "process.env.NODE_ENV": '"production"' },
	});
	for (const folder of ["drizzle", "docs", "examples"])
		await cp(join(root, folder), join(to, folder), { recursive: true, filter: (path) => !LEFT.test(path) });
	await writeDownloads(join(to, "downloads"), { root, cliRoot });
	await cp(join(root, "packages/finders/models"), join(to, "models"), { recursive: true });
	for (const [name, room] of Object.entries(outside)) {
		const link = join(to, "node_modules", name);
		await mkdir(dirname(link), { recursive: true });
		// Straight to the package: what is between may be gone in a copy.
		const target = await realpath(join(root, room, "node_modules", name));
		const isWithin = !relative(root, to).startsWith("..");
		await symlink(isWithin ? relative(await realpath(dirname(link)), target) : target, link, "junction");
	}
	const { version, license } = manifest;
	await writeFile(join(to, "package.json"), JSON.stringify({ name: "svc-server", version, license, type: "module" }));
}

/** `bun deploy/bundle.ts`, or `bun deploy/bundle.ts --bun <folder>` for what `npm start` runs. */
if (import.meta.main) {
	const [, , flag, folder = join(ROOT, "dist", "server")] = process.argv;
	await bundleService(folder, { target: flag === "--bun" ? "bun" : "node" });
}
