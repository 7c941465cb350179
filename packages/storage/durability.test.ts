import { afterAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PUTS = 5;
const PROGRAM = `
	import { fileBlobs } from ${JSON.stringify(join(import.meta.dir, "files.ts"))};
	const store = fileBlobs({ dir: process.argv.at(-1) });
	async function* chunks() { yield new Uint8Array(100_000); yield new Uint8Array(5); }
	for (let n = 0; n < ${PUTS}; n++) {
		await store.put("img_" + n + ".n1", await store.stage(chunks(), 1_000_000));
		await Bun.write(Bun.stdout, "stored " + n + "\\n");
	}
`;
const trace = await traced();

// kill -9 does not test fsync, for the kernel keeps what was written; only the order of the system calls shows what a power
// failure would leave.
describe.skipIf(trace === undefined)(
	`the order of system calls${trace === undefined ? " (skipped: strace is missing or may not trace)" : ""}`,
	() => {
		const steps = trace?.steps ?? [];
		afterAll(() => rm(trace?.parent ?? "", { recursive: true }));

		for (let n = 0; n < PUTS; n++) {
			test(`put ${n}: write, fsync of the file, rename, fsync of both folders, and only then the answer`, () => {
				const moved = steps.findIndex(({ call, target }) => call === "rename" && target.endsWith(`/img_${n}.n1`));
				const answered = steps.findIndex(({ call, path }) => call === "answer" && path === `stored ${n}`);
				const { path, target } = steps[moved] ?? { path: "", target: "" };
				const before = steps.slice(0, moved).filter((step) => step.path === path);
				expect(before.map(({ call }) => call)).toEqual(["write", "write", "fsync"]);
				const after = steps.slice(moved + 1, answered).filter(({ call }) => call === "fsync");
				expect(after.map((step) => step.path).sort()).toEqual([folderOf(target), folderOf(path)].sort());
			});
		}

		test("every folder is in its parent for good before anything is renamed into it", () => {
			const moves = steps.flatMap((step, index) => (step.call === "rename" ? [{ ...step, index }] : []));
			expect(moves).toHaveLength(PUTS);
			for (const { target, index } of moves) {
				const flushed = new Set(steps.slice(0, index).flatMap(({ call, path }) => (call === "fsync" ? [path] : [])));
				const store = folderOf(folderOf(folderOf(target)));
				for (const folder of [folderOf(folderOf(target)), store, folderOf(store), trace?.parent ?? ""]) {
					expect(flushed).toContain(folder);
				}
			}
		});
	},
);

interface Step {
	readonly call: string;
	readonly path: string;
	/** Where a rename leads; empty for the others. */
	readonly target: string;
}

async function traced(): Promise<{ readonly parent: string; readonly steps: readonly Step[] } | undefined> {
	// Only the want of strace skips: a traced program that fails must fail the test.
	if (!canTrace()) return undefined;
	const parent = await mkdtemp(join(tmpdir(), "svc-trace-"));
	const log = join(parent, "trace.txt");
	const calls = "trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2";
	const program = [process.execPath, "-e", PROGRAM, join(parent, "new", "store")];
	execFileSync("strace", ["-f", "-y", "-s", "100", "-e", calls, "-o", log, ...program], { stdio: "ignore" });
	const lines = (await readFile(log, "utf8")).split("\n");
	return { parent, steps: lines.flatMap((line) => stepOf(line) ?? []).filter(({ path }) => isOurs(path, parent)) };
}

function canTrace(): boolean {
	try {
		execFileSync("strace", ["-o", "/dev/null", "true"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}

// A call that is interrupted in the log is taken where it starts; with one call under way at a time that is its order too.
function stepOf(line: string): Step | undefined {
	const moved = /\brename(?:at2?)?\(.*?"([^"]+)".*?"([^"]+)"/.exec(line);
	if (moved) return { call: "rename", path: moved[1] ?? "", target: moved[2] ?? "" };
	const answered = /\bwrite\(1<[^>]*>, "(stored \d+)/.exec(line);
	if (answered) return { call: "answer", path: answered[1] ?? "", target: "" };
	const touched = /\b(write|pwrite64|fsync|fdatasync)\(\d+<([^>]+)>/.exec(line);
	if (touched) return { call: touched[1] ?? "", path: touched[2] ?? "", target: "" };
	return undefined;
}

function isOurs(path: string, parent: string): boolean {
	return path.startsWith(parent) || path.startsWith("stored ");
}

function folderOf(path: string): string {
	return path.slice(0, path.lastIndexOf("/"));
}
