import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* How many files and lines of the product one request executes at rest: the lines whose counters grow with each request of a scene. */

export type Scene = "get" | "upload" | "kept";
/** The variable that says which scene is played, and with how many requests. */
export const REQUESTS = "SVC_MEASURED_REQUESTS";
/** The word before the number that the scene "kept" prints, in milliseconds. */
export const MEASURED = "measured";

export interface Executed {
	readonly files: number;
	readonly lines: number;
	/** The files with their lines, the most first. */
	readonly list: readonly string[];
}

/* What the second run has more is of its requests alone: start and first request are in both. */
const FEW = 4;
const MANY = 24;

/** Runs each scene twice in a process of its own; `keptMs` is the first quartile of a rendition again after a write of another App. */
export async function linesOfRequests(root: string): Promise<{ get: Executed; upload: Executed; keptMs: number }> {
	const get = await executed(root, "get");
	const upload = await executed(root, "upload");
	const { printed } = await run(root, "kept", MANY);
	const keptMs = Number(new RegExp(`${MEASURED} (\\S+)`).exec(printed)?.[1]);
	return { get, upload, keptMs };
}

async function executed(root: string, scene: Scene): Promise<Executed> {
	const few = (await run(root, scene, FEW)).counts;
	const many = (await run(root, scene, MANY)).counts;
	const files = [...many].flatMap(([file, lines]) => {
		const grown = [...lines].filter(([line, count]) => count - (few.get(file)?.get(line) ?? 0) >= MANY - FEW);
		return grown.length > 0 ? [{ file, lines: grown.length }] : [];
	});
	const sorted = files.sort((one, other) => other.lines - one.lines);
	const lines = files.reduce((sum, { lines }) => sum + lines, 0);
	return { files: files.length, lines, list: sorted.map(({ file, lines }) => `${lines} ${file}`) };
}

type Counts = ReadonlyMap<string, ReadonlyMap<number, number>>;

async function run(root: string, scene: Scene, requests: number): Promise<{ counts: Counts; printed: string }> {
	const folder = await mkdtemp(join(tmpdir(), "svc-lines-"));
	try {
		const counted = scene === "kept" ? [] : ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
		const child = Bun.spawn(
			[process.execPath, "test", ...counted, "--timeout", "300000", "./test/house/measured-requests.ts"],
			{ cwd: root, env: { ...process.env, [REQUESTS]: `${scene} ${requests}` }, stdout: "pipe", stderr: "pipe" },
		);
		const [printed, faults, code] = await Promise.all([
			new Response(child.stdout).text(),
			new Response(child.stderr).text(),
			child.exited,
		]);
		if (code !== 0) throw new Error(`The requests of "${scene}" failed:\n${printed}${faults}`);
		const counts: Counts = scene === "kept" ? new Map() : countsIn(await readFile(join(folder, "lcov.info"), "utf8"));
		return { counts, printed };
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Reads `SF:file`, `DA:line,count` of the lcov format, for product files alone. */
function countsIn(lcov: string): Counts {
	const files = new Map<string, Map<number, number>>();
	let lines = new Map<number, number>();
	for (const record of lcov.split("\n")) {
		const file = /^SF:((?:apps|packages)\/.*)/.exec(record)?.[1];
		if (record.startsWith("SF:")) lines = new Map();
		if (file !== undefined) files.set(file, lines);
		const [, line, count] = /^DA:(\d+),(\d+)/.exec(record) ?? [];
		if (line !== undefined) lines.set(Number(line), Number(count));
	}
	return files;
}
