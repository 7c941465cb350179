import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processAlive, until } from "../support/workers.ts";
import { type Outcome, runLanes, runTask } from "./lanes.ts";
import { findMemory } from "./memory.ts";
import { filesOf, NOT_QUICK, QUICK, REPEATED, type Task, tasksOf, testFiles } from "./plan.ts";
import { steadyOf, tally, toldFailures } from "./told.ts";

/* The runner of all tests, with tests of its own: what passes, fails, dies, hangs, and leaves something behind. */

const ROOT = join(import.meta.dirname, "../..");
const HEAD = 'import { expect, test } from "bun:test";\n';
const FILES = {
	"passes.test.ts": 'test("one", () => undefined);\ntest.skip("two", () => undefined);',
	"fails.test.ts": 'test("three", () => expect(1).toBe(2));',
	"leaves.test.ts": 'test("four", () => void setTimeout(() => { throw new Error("left behind"); }, 1));',
	"waits.test.ts": 'await Bun.sleep(100);\ntest("five", () => undefined);',
	"writes.test.ts": `import { writeFileSync } from "node:fs";
		import { tmpdir } from "node:os";
		test("nine", () => { writeFileSync(tmpdir() + "/left", ""); console.log("in " + tmpdir()); });`,
	"exits.test.ts": 'test("six", () => process.exit(0));',
	"hangs.test.ts": `test("seven", async () => {
		const { pid } = Bun.spawn(["sleep", "600"]);
		console.log(\`pid \${pid}\`);
		await new Promise(() => undefined);
	});`,
	"unsteady.test.ts": `import { existsSync, writeFileSync } from "node:fs";
		const mark = new URL("mark", import.meta.url);
		test("eight", () => { const was = existsSync(mark); writeFileSync(mark, ""); expect(was).toBe(true); });`,
};

let root: string;
beforeAll(async () => {
	root = await realpath(await mkdtemp(join(tmpdir(), "svc-runner-")));
	for (const [name, text] of Object.entries(FILES)) await writeFile(join(root, name), `${HEAD}${text}\n`);
});
afterAll(() => rm(root, { recursive: true }));

const alone = [process.execPath, "test"];
const taskOf = (...names: readonly (keyof typeof FILES)[]): Task => ({
	name: names.join(" "),
	command: [...alone, ...names.map((name) => `./${name}`)],
	files: names,
	alone,
});
const run = (task: Task, bounds?: { readonly silentMs: number; readonly wholeMs: number }) =>
	runTask(root, task, () => undefined, bounds);

describe("what is run", () => {
	const files = testFiles(ROOT);

	test("npm test and npm run test:all have each test file, and none twice; the quick ones are of npm test", () => {
		const [quick, once, repeated] = (["quick", "test", "all"] as const).map((suite) => filesOf(suite, files));
		expect([...(once ?? []), ...(repeated ?? [])].sort()).toEqual([...files]);
		expect(quick?.filter((file) => !once?.includes(file))).toEqual([]);
	});

	test("each beginning of the table is that of some test", () => {
		const beginnings = [...QUICK, ...NOT_QUICK, ...Object.values(REPEATED).flat()];
		expect(beginnings.filter((beginning) => !files.some((file) => file.startsWith(beginning)))).toEqual([]);
	});

	test("both together run each file once in the newest version, and what every-variant.ts says in each older one", () => {
		const tasks = tasksOf(ROOT, ["test", "all"]);
		const current = tasks.filter(({ env, alone: one }) => one && !env?.SVC_TEST_VARIANT).flatMap((task) => task.files);
		expect(current.sort()).toEqual([...files]);
		const older = tasks.filter(({ env }) => env?.SVC_TEST_VARIANT === "legacy").flatMap((task) => task.files);
		expect(older).toContain("test/http/images/batch.test.ts");
		expect(tasks.map(({ name }) => name)).toContain("the API on Deno");
	});
});

describe("what is counted", () => {
	test("each test, and a failure is told with its file and what was printed before it", async () => {
		const outcomes = await runLanes(root, [taskOf("passes.test.ts"), taskOf("fails.test.ts")], {
			began: () => undefined,
			ended: () => undefined,
		});
		expect(tally(outcomes, 0)).toEqual({ passed: 1, failed: 1, skipped: 1 });
		const told = toldFailures(outcomes);
		expect(told[0]).toBe("== FAILED: fails.test.ts (fails.test.ts)");
		expect(told.join("\n")).toContain("Expected: 2");
		expect(told.at(-1)).toStartWith("(fail) three");
	});

	test("what starts no programs of others runs before those are there, from the back", async () => {
		const { promise: ready, resolve } = Promise.withResolvers<void>();
		const order: string[] = [];
		const ended = ({ task }: Outcome) => {
			order.push(task.name);
			if (order.length === 2) resolve();
		};
		const bare = (name: string): Task => ({ name, command: ["true"], files: [], isBare: true });
		const tasks = [bare("first"), { name: "program", command: ["true"], files: [] }, bare("last")];
		await runLanes(root, tasks, { began: () => undefined, ended }, { ready });
		expect([order.slice(0, 2).sort(), order[2]]).toEqual([["first", "last"], "program"]);
	});

	test("an error that a test has left behind is a failure, and no second run makes it good", async () => {
		const outcome = await run(taskOf("leaves.test.ts", "waits.test.ts"));
		expect(outcome.failed).toBeGreaterThan(0);
		expect(toldFailures([outcome]).join("\n")).toContain("left behind");
		const again: Task[] = [];
		const runAgain = (task: Task) => {
			again.push(task);
			return run(task);
		};
		expect(await steadyOf([outcome], () => undefined, runAgain)).toBe(0);
		expect(again).toEqual([]);
	});

	test("a runner that ends well before it has counted has failed", async () => {
		const outcome = await run(taskOf("passes.test.ts", "exits.test.ts"));
		expect([outcome.failed, toldFailures([outcome]).at(-1)]).toEqual([1, "it ended with 0 before it had counted"]);
	});

	test("a runner that has not begun one of its files has failed", async () => {
		const outcome = await run({ ...taskOf("passes.test.ts"), files: ["passes.test.ts", "gone.test.ts"] });
		expect([outcome.failed, toldFailures([outcome]).at(-1)]).toEqual([1, "it began 1 of its 2 files"]);
	});

	test("a program that does not count fails by its exit code alone", async () => {
		const outcomes = await Promise.all(
			[0, 3].map((code) => run({ name: "lint", command: ["sh", "-c", `exit ${code}`], files: [] })),
		);
		expect(outcomes.map(({ failed }) => failed)).toEqual([0, 1]);
	});

	test.each([
		["prints nothing", { silentMs: 3_000, wholeMs: 60_000 }, "printed nothing for 3 s"],
		["has no end", { silentMs: 60_000, wholeMs: 3_000 }, "ran for more than 3 s"],
	])("what %s is ended, with what it has started, and has failed", async (_, bounds, said) => {
		const outcome = await run(taskOf("hangs.test.ts"), bounds);
		expect([outcome.failed, toldFailures([outcome]).at(-1)]).toEqual([1, `it was ended: it ${said}`]);
		await until(() => !processAlive(Number(/^pid (\d+)$/m.exec(outcome.text)?.[1])));
	});
});

describe("where the files of tests lie", () => {
	const placeOf = (outcome: Outcome) => /^in (.*)$/m.exec(outcome.text)?.[1] ?? "";
	const hasMemory = () => {
		using memory = findMemory();
		return memory !== undefined;
	};

	test("in memory where there is enough, and nothing of them is left behind", async () => {
		const outcome = await run(taskOf("writes.test.ts"));
		expect([outcome.failed, placeOf(outcome).startsWith("/dev/shm/svc-")]).toEqual([0, hasMemory()]);
		expect(existsSync(placeOf(outcome))).toBe(!hasMemory());
	});

	test("on the disk, where a test is about disks, memory is short, or a folder takes no files", async () => {
		expect(placeOf(await run({ ...taskOf("writes.test.ts"), isOnDisk: true }))).toBe(tmpdir());
		expect(findMemory("/dev/shm", { folder: 0, machine: Number.MAX_SAFE_INTEGER })).toBeUndefined();
		expect(findMemory("/proc", { folder: -1, machine: 0 })).toBeUndefined();
		const onDisk = tasksOf(ROOT, ["test", "all"]).filter((task) => task.isOnDisk);
		expect(onDisk.map(({ name }) => name)).toContain("test/fault/backup.test.ts");
		expect(onDisk.map(({ name }) => name)).not.toContain("test/e2e/variants.test.ts");
	});
});

describe("once more, alone", () => {
	const steadied = async (outcomes: readonly Outcome[]) => {
		const lines: string[] = [];
		return { count: await steadyOf(outcomes, (line) => void lines.push(line), run), lines };
	};

	test("a test that fails beside others and passes alone is named and not counted; one that fails again is", async () => {
		const outcomes = [await run(taskOf("unsteady.test.ts")), await run(taskOf("fails.test.ts"))];
		expect(outcomes.map(({ failed }) => failed)).toEqual([1, 1]);
		const { count, lines } = await steadied(outcomes);
		expect(tally(outcomes, count)).toEqual({ passed: 1, failed: 1, skipped: 0 });
		expect(lines).toContain("UNSTEADY: failed beside other tests and passed alone: unsteady.test.ts");
	});

	test("nothing is, where many files failed", async () => {
		const outcome = await run(taskOf("fails.test.ts"));
		const many = Array.from({ length: 6 }, () => outcome);
		expect(await steadied(many)).toEqual({ count: 0, lines: [] });
	});
});

test("the last line of it all is the count, after what it says of the way there", async () => {
	const child = Bun.spawn([process.execPath, "test/runner/run.ts", "test", "packages/base/text.test.ts"], {
		cwd: ROOT,
		stdio: ["ignore", "pipe", "inherit"],
	});
	const lines = (await new Response(child.stdout).text()).trimEnd().split("\n");
	expect(await child.exited).toBe(0);
	expect(lines[0]).toBe("== every behaviour once: about 15 minutes on two quiet cores");
	expect(lines.find((line) => line.includes(" 1 of 1: "))).toEndWith("packages/base/text.test.ts");
	expect(lines.at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/);
});
