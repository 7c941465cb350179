import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { VARIANTS } from "../house/every-variant.ts";

/*
 *   bun test/releases/check.ts <version>
 *
 * Whether this checkout is that release. The workflow of a release asks it before anything is made; it says what is missing, a line each.
 */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What keeps a checkout from being released as a version. */
export function releaseFaults(version: string, root = ROOT): string[] {
	const read = (path: string) => readFileSync(join(root, path), "utf8");
	const manifest = (folder: string) => JSON.parse(read(join(folder, "package.json"))) as Manifest;
	const { workspaces = [], ...own } = manifest(".");
	const strayed = [own, ...workspaces.map(manifest)].filter((one) => one.version !== version);
	const archives = VARIANTS.map((variant) => `test/releases/${version}-${variant}.tar.gz`);
	return [
		...strayed.map((one) => `${one.name} is ${one.version}, not ${version}`),
		...(read("CHANGELOG.md").includes(`\n## ${version} – `) ? [] : [`CHANGELOG.md has no “## ${version} – <day>”`]),
		...archives
			.filter((path) => !existsSync(join(root, path)))
			.map((path) => `${path} is missing: bun test/releases/write.ts`),
	];
}

interface Manifest {
	readonly name: string;
	readonly version?: string;
	readonly workspaces?: readonly string[];
}

if (import.meta.main) {
	const [version = ""] = process.argv.slice(2);
	const faults = releaseFaults(version);
	for (const fault of faults) process.stderr.write(`${fault}\n`);
	process.exitCode = faults.length > 0 ? 1 : 0;
}
