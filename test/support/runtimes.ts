/* The runtimes that packed programs are run on. One that is missing skips its tests, and with CI=true fails them. */

const { CI, DENO, NODE, NODE20, NODE22, NODE24 } = process.env;

export interface Runtime {
	readonly name: string;
	/** How it is started, before the file. @throws Error where it is missing */
	readonly command: () => readonly string[];
	readonly isMissing: boolean;
	/** Why its tests do not run, for their titles. */
	readonly note: string;
}

export const RUNTIMES: readonly Runtime[] = [
	runtime("Bun", process.execPath, "bun", []),
	runtime("Node 20", nodeOf(20, NODE20), "NODE20", []),
	runtime("Node 22", nodeOf(22, NODE22), "NODE22", []),
	runtime("Node 24", nodeOf(24, NODE24), "NODE24", []),
	runtime("Deno", Bun.which(DENO ?? "deno"), "DENO", ["run", "--no-prompt", "--allow-all"]),
];

/** Whether the tests of a runtime are left out. */
export function isSkipped({ isMissing }: Runtime): boolean {
	return isMissing && CI !== "true";
}

/** The one that is named for this version, or the machine's own where it is of this version. */
function nodeOf(major: number, named: string | undefined): string | null {
	if (named) return Bun.which(named);
	const own = Bun.which(NODE ?? "node");
	if (own === null) return null;
	const version = Bun.spawnSync([own, "--version"]).stdout.toString();
	return version.startsWith(`v${major}.`) ? own : null;
}

function runtime(name: string, path: string | null, variable: string, words: readonly string[]): Runtime {
	return {
		name,
		isMissing: path === null,
		note: path === null ? ` (SKIPPED: ${variable} names no ${name})` : "",
		command() {
			if (path === null) throw new Error(`${name} is missing: put it on the PATH, or name it in ${variable}.`);
			return [path, ...words];
		},
	};
}
