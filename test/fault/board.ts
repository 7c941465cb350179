import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libsqlNote } from "../support/libsql-server.ts";
import { withoutS3Server } from "../support/s3-server.ts";
import { ROWS, type Row } from "./rows.ts";

/*
 * The scoreboard of what is broken on purpose: `npm run fault` in at most ten minutes, `npm run fault -- --full` at the sizes of rows.ts, which
 * takes hours. Words after it choose rows. Interrupted, it prints what it has.
 */

const words = process.argv.slice(2);
const strange = words.find((word) => word.startsWith("-") && word !== "--full");
if (strange !== undefined) {
	process.stdout.write("npm run fault -- [--full] [words of the rows to run]\n");
	process.exit(["--help", "-h"].includes(strange) ? 0 : 2);
}
const FULL = words.includes("--full");
const chosen = words.filter((word) => !word.startsWith("--"));
const BUDGET_MS = FULL ? Number.POSITIVE_INFINITY : 580_000;
const ROOT = join(import.meta.dir, "..", "..");

type State = "pass" | "FAIL" | "not run";

interface Result {
	readonly row: Row;
	readonly state: State;
	/** What was tried and found, or why it was not run. */
	readonly told: string;
	readonly seconds: number;
}

const startedMs = performance.now();
const scratch = mkdtempSync(join(tmpdir(), "svc-fault-"));
const results: Result[] = [];
let running: { kill(): void } | undefined;
let interrupted = false;
process.on("SIGINT", () => {
	interrupted = true;
	running?.kill();
});

for (const row of ROWS) {
	if (chosen.length > 0 && !chosen.some((word) => row.name.includes(word))) continue;
	const result = await resultOf(row);
	results.push(result);
	say(lineOf(result));
}
rmSync(scratch, { recursive: true, force: true });
printBoard();
process.exit(results.some(({ state }) => state === "FAIL") ? 1 : 0);

async function resultOf(row: Row): Promise<Result> {
	const leftMs = BUDGET_MS - (performance.now() - startedMs);
	const missing = reasonNotToRun(row, leftMs);
	if (missing !== undefined) return { row, state: "not run", told: missing, seconds: 0 };
	const beganMs = performance.now();
	const [state, told] = row.file.endsWith(".test.ts") ? await runTest(row, leftMs) : await runBench(row, leftMs);
	return { row, state, told, seconds: (performance.now() - beganMs) / 1_000 };
}

function reasonNotToRun({ file, needs, slow }: Row, leftMs: number): string | undefined {
	if (interrupted) return "interrupted";
	if (!existsSync(join(ROOT, file))) return `there is no ${file}`;
	if (needs === "sqld" && libsqlNote !== "") return "no sqld on the PATH, and SQLD names none";
	if (needs === "seaweedfs" && withoutS3Server) return "no weed, SeaweedFS, on the PATH, and SEAWEEDFS names none";
	if (slow && !FULL) return "with --full only";
	return leftMs < 5_000 ? "the ten minutes are over" : undefined;
}

function sizeOf(row: Row): string | undefined {
	return FULL ? row.full : row.quick;
}

async function run(command: readonly string[], env: Record<string, string>, leftMs: number) {
	const child = Bun.spawn([process.execPath, ...command], {
		cwd: ROOT,
		env: { ...process.env, ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	running = child;
	let late = false;
	const timer =
		leftMs === Number.POSITIVE_INFINITY
			? undefined
			: setTimeout(() => {
					late = true;
					child.kill();
				}, leftMs);
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	clearTimeout(timer);
	return { code: await child.exited, text: `${out}\n${err}`, late };
}

async function runTest(row: Row, leftMs: number): Promise<[State, string]> {
	const [report, board] = [join(scratch, "report.xml"), join(scratch, "board")];
	for (const file of [report, board]) rmSync(file, { force: true });
	const { code, text, late } = await run(
		commandOf(row, report),
		{ SVC_TEST_SCOREBOARD: board, ...sizeEnv(row) },
		leftMs,
	);
	if (interrupted) return ["not run", "interrupted"];
	if (late) return ["not run", "the ten minutes were over before its end"];
	const cases = casesOf(written(report));
	const named = (wanted: Case["outcome"]) => cases.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
	if (code !== 0) return ["FAIL", `${kept(row, text)} ${named("failed")[0] ?? ""}`];
	const passed = named("passed").length;
	// Without a match every test of the file is skipped; with a missing tool the skipped ones say so in their titles.
	if (passed === 0) return ["not run", named("skipped").find((name) => /skipped/i.test(name)) ?? "all were skipped"];
	const tried = `${sizeNote(row)}${countsOf(written(board))}`.trim();
	return ["pass", `${passed} ${passed === 1 ? "test" : "tests"}${tried === "" ? "" : `: ${tried}`}`];
}

/** A failure that comes once in hours is not asked for again to be read. */
function kept({ name }: Row, text: string): string {
	const file = join(mkdtempSync(join(tmpdir(), "svc-fault-failed-")), `${name.replaceAll(/\W+/g, "-")}.log`);
	writeFileSync(file, text);
	return `see ${file}`;
}

function commandOf(row: Row, report: string): readonly string[] {
	const titles = row.only ?? (FULL ? undefined : row.quickOnly);
	const only = titles === undefined ? [] : ["-t", titles];
	return ["test", "--timeout", "60000", "--reporter=junit", `--reporter-outfile=${report}`, ...only, row.file];
}

function sizeEnv(row: Row): Record<string, string> {
	const size = sizeOf(row);
	return row.size === undefined || size === undefined ? {} : { [row.size]: size };
}

function written(file: string): string {
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function sizeNote(row: Row): string {
	const size = sizeOf(row);
	return row.size === undefined || size === undefined ? "" : `${row.size}=${size} `;
}

/** Lines that tests have written by `found`. */
function countsOf(board: string): string {
	return board
		.split("\n")
		.filter(Boolean)
		.map((line) => Object.entries((JSON.parse(line) as { counts: object }).counts))
		.map((counts) => counts.map(([name, count]) => `${name} ${count}`).join(", "))
		.join("; ");
}

interface Case {
	readonly name: string;
	readonly outcome: "passed" | "failed" | "skipped";
}

function casesOf(junit: string): readonly Case[] {
	const found = junit.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g);
	return [...found].map(([, name = "", inside = ""]) => {
		const outcome = inside.includes("<failure") ? "failed" : inside.includes("<skipped") ? "skipped" : "passed";
		return { name: name.replaceAll("&apos;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&"), outcome };
	});
}

async function runBench(row: Row, leftMs: number): Promise<[State, string]> {
	const { code, text, late } = await run([row.file, ...(sizeOf(row)?.split(" ") ?? [])], {}, leftMs);
	if (interrupted) return ["not run", "interrupted"];
	if (late) return ["not run", "the ten minutes were over before its end"];
	const verdicts = text.split("\n").filter((line) => /\b(met|MISSED)\b/.test(line));
	const missed = verdicts.filter((line) => line.includes("MISSED"));
	if (code !== 0 || missed.length > 0) return ["FAIL", `${kept(row, text)} ${missed[0]?.trim() ?? ""}`];
	return ["pass", verdicts.map((line) => line.trim().replaceAll(/\s+/g, " ")).join("; ") || "it ended well"];
}

function lineOf({ row, state, told, seconds }: Result): string {
	return `${state.padEnd(7)}  ${`${seconds.toFixed(0)} s`.padStart(6)}  ${row.name}: ${told.slice(0, 220)}`;
}

function printBoard(): void {
	const count = (wanted: State) => results.filter(({ state }) => state === wanted).length;
	const minutes = (performance.now() - startedMs) / 60_000;
	say(`\n| Test | Bar | Tried and found | |\n|---|---|---|---|`);
	for (const { row, state, told } of results) {
		say(`| ${row.name} | ${row.bar} | ${told.replaceAll("|", "\\|").slice(0, 220)} | ${state} |`);
	}
	const size = FULL ? "full sizes" : "small sizes";
	say(
		`\n${count("pass")} pass, ${count("FAIL")} fail, ${count("not run")} not run, in ${minutes.toFixed(1)} minutes, ${size}.`,
	);
}

function say(text: string): void {
	process.stdout.write(`${text}\n`);
}
