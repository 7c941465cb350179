import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { TABLES_FILE, type Table } from "./measure.ts";
import { MEASURED, type MeasuredRow } from "./measured-rows.ts";

/*
 *   bun test/bench/readme.ts [part of a bench's command]
 *
 * Measures what docs/operate/measured.md says, and writes its table: a row that is worse than a peer's stays in it. With a part of a
 * command only the rows made by such benches are measured, and the others stay as they are. The programs beside must be on the PATH: a row
 * without its peer ends it before anything is written.
 */

const PAGE = new URL("../../docs/operate/measured.md", import.meta.url).pathname;
const ROOT = new URL("../..", import.meta.url).pathname;
const [PART = ""] = process.argv.slice(2);

interface Measured {
	readonly tables: readonly Table[];
	/** Processes that wanted a core, the minute before and the last minute. */
	readonly load: string;
}

async function runBench(bench: readonly string[]): Promise<Measured> {
	const folder = await mkdtemp(join(tmpdir(), "svc-measured-"));
	const file = join(folder, "tables");
	const before = loadavg()[0] ?? 0;
	const child = Bun.spawn([process.execPath, ...bench], {
		cwd: ROOT,
		env: { ...process.env, [TABLES_FILE]: file },
		stdio: ["ignore", "inherit", "inherit"],
	});
	if ((await child.exited) !== 0) throw new Error(`${bench.join(" ")} ended with ${child.exitCode}`);
	const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
	await rm(folder, { recursive: true });
	const load = `${before.toFixed(1)}, ${(loadavg()[0] ?? 0).toFixed(1)}`;
	return { tables: lines.map((line) => JSON.parse(line) as Table), load };
}

/** What a table says in this row and column. @throws Error where no table has them, or a program was missing */
function cellOf(tables: readonly Table[], row: string, column: string): string {
	for (const { head, rows } of tables) {
		const cell = rows.find(([name]) => name?.startsWith(row))?.[head.indexOf(column)];
		if (cell !== undefined && cell !== "–") return cell;
	}
	throw new Error(`there is no figure of "${row}" beside "${column}"`);
}

function lineOf({ what, beside, conditions, figures }: MeasuredRow, { tables, load }: Measured): string {
	const ratios = figures.map(([name, row, column]) => [name, cellOf(tables, row, column)].filter(Boolean).join(" "));
	return `| ${[what, beside, ratios.join("<br>"), conditions, load].join(" | ")} |`;
}

/** Rows are known by what they measure and what stands beside it. */
const nameOf = (line: string): string => line.split(" | ").slice(0, 2).join(" | ");

const chosen = MEASURED.filter(({ bench }) => bench.join(" ").includes(PART));
const lines = new Map<string, string>();
for (const bench of new Set(chosen.map((row) => row.bench))) {
	const measured = await runBench(bench);
	for (const row of chosen.filter((one) => one.bench === bench)) {
		const line = lineOf(row, measured);
		lines.set(nameOf(line), line);
	}
}
const page = await readFile(PAGE, "utf8");
const kept = page.split("\n").filter((line) => line.startsWith("| "));
for (const line of kept) if (!lines.has(nameOf(line))) lines.set(nameOf(line), line);
const table = MEASURED.map(({ what, beside }) => lines.get(`| ${what} | ${beside}`)).filter(Boolean);
const [head = "", rule = ""] = page.split("\n").filter((line) => line.startsWith("|"));
const start = page.indexOf(head);
await writeFile(PAGE, `${page.slice(0, start)}${[head, rule, ...table].join("\n")}\n`);
