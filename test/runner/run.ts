import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll } from "./bounded-process.ts";
import { type Outcome, runLanes, runTask } from "./lanes.ts";
import { SUITES, type Suite, type Task, tasksOf } from "./plan.ts";
import { clock, longest, steadyOf, tally, toldFailures } from "./told.ts";

/*
 * Runs the tests of one suite or more, in four lanes, and counts: what `npm test`, `npm run test:quick`, `npm run test:all` and .ci/run run.
 *
 *   bun test/runner/run.ts quick|test|all …     says where it is, what failed, and where the time went
 *     test/http/…  only files that begin so
 *     --checks     also what `npm run lint` and `npm run variants` check, that tests send every statement of SQL, and known advisories
 *     --titles     prints all that the tests print
 *     --after=FILE tests that start programs wait until this file is there, and take the variables that stand in it, a line each
 *
 * The last line is "N passed, N failed", by the count of the test runner itself.
 */

const ROOT = join(import.meta.dirname, "../..");
/** For how long tests wait for the programs that they start. */
const PROGRAMS_MS = 20 * 60_000;
const words = process.argv.slice(2);
const suites = words.filter((word): word is Suite => Object.hasOwn(SUITES, word));
const beginnings = words.filter((word) => word.includes("/") && !word.startsWith("--"));
const after = words.find((word) => word.startsWith("--after="));
const known = [...suites, ...beginnings, "--checks", "--titles", after];
const strange = words.filter((word) => !known.includes(word));
if (suites.length === 0 || strange.length > 0) {
	say(`bun test/runner/run.ts ${Object.keys(SUITES).join("|")} … [test/http/…] [--checks] [--titles]`);
	process.exit(2);
}
const hasChecks = words.includes("--checks");
const hasTitles = words.includes("--titles");

const scratch = mkdtempSync(join(tmpdir(), "svc-tests-"));
const proof = hasChecks ? join(scratch, "proof") : undefined;
const printed = join(scratch, "printed.log");
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
	process.on(signal, () => {
		endAll();
		process.exit(130);
	});
}

const check = (name: string, ...command: readonly string[]): Task => ({ name, command, files: [], isBare: true });
const script = (name: string) => check(`npm run ${name}`, process.execPath, "run", name);
const tasks = tasksOf(ROOT, suites, { proof, beginnings: beginnings.length > 0 ? beginnings : [""] });
const there = [...(hasChecks ? [script("lint"), script("variants")] : []), ...tasks].filter((task) => !task.missing);
const filesCount = there.reduce((sum, { files }) => sum + files.length, 0);
const beganMs = performance.now();
let begun = 0;

for (const suite of suites) say(`== ${SUITES[suite].of}: about ${SUITES[suite].minutes} minutes on two quiet cores`);
say(`== ${filesCount} files in ${there.length} processes; all that they print: ${printed}`);
for (const { name, missing } of tasks) if (missing) say(`== NOT RUN: ${name}: ${missing}`);

// What strangers find out about a package tomorrow is no fault of what is tested here: it is told, and does not count.
const advisories = hasChecks ? await runTask(ROOT, script("advisories"), began) : undefined;
const ready = after === undefined ? Promise.resolve() : programsOf(after.slice("--after=".length));
const built = there.some(({ startsBuilt }) => startsBuilt) ? await builtServer(join(scratch, "server")) : {};
const planned = there.map((task) => (task.startsBuilt ? { ...task, env: { ...task.env, ...built } } : task));
const outcomes: Outcome[] = [...(await runLanes(ROOT, planned, { began, ended }, { ready }))];
if (proof) {
	const statements = check("SQL that no test sends, or without an index", process.execPath, "test/house/statements.ts");
	const outcome = await runTask(ROOT, { ...statements, command: [...statements.command, proof] }, began);
	ended(outcome);
	outcomes.push(outcome);
}

for (const line of longest(outcomes)) say(line);
for (const line of toldFailures(outcomes)) say(line);
const steadied = await steadyOf(outcomes, say, (task) => runTask(ROOT, task, () => undefined));
const { passed, failed, skipped } = tally(outcomes, steadied);
say(`== ${clock(performance.now() - beganMs)}, ${skipped} skipped`);
if (advisories) say(`== known advisories: ${advisories.text.trim()}`);
// Where something failed, what was printed may be wanted.
for (const part of failed === 0 ? [""] : ["proof", "server"])
	rmSync(join(scratch, part), { recursive: true, force: true });
say(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** For test/support/process.ts. Where it cannot be built, which is a failure elsewhere, the service is started from its sources. */
async function builtServer(folder: string): Promise<Readonly<Record<string, string>>> {
	try {
		const { bundleService } = await import("@svc/deploy/bundle");
		await bundleService(folder, { target: "bun" });
		return { SVC_TEST_SERVER: `${process.execPath} ${join(folder, "main.js")}` };
	} catch (error) {
		say(`== the service is started from its sources, for it cannot be built: ${error}`);
		return {};
	}
}

/** Waits for what is still being installed; where that has no end, tests say by name what they miss. */
async function programsOf(file: string): Promise<void> {
	while (!existsSync(file) && performance.now() - beganMs < PROGRAMS_MS) await Bun.sleep(1_000);
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
	for (const [, name = "", value] of lines.flatMap((line) => [/^(\w+)=(.*)$/.exec(line) ?? []]))
		if (name) process.env[name] = value;
	say(`[${clock(performance.now() - beganMs)}] the programs that tests start are there`);
}

function began({ where }: Task, file: string): void {
	begun++;
	say(`[${clock(performance.now() - beganMs)}] ${begun} of ${filesCount}: ${where ? `${where}: ` : ""}${file}`);
}

function ended({ task, text, failed: broken, processorSeconds }: Outcome): void {
	appendFileSync(printed, `== ${task.name}: ${processorSeconds.toFixed(1)} s of processor\n${text}\n`);
	if (hasTitles) say(text);
	if (broken > 0) say(`FAILED: ${broken} in ${task.name}`);
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
