import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";

/* What holds for the text of each test. */

const ROOT = join(import.meta.dirname, "../..");
const TITLE_MAX = 150;

const listed = execFileSync("git", ["ls-files", "-z", "*.test.ts", "*.test.tsx"], { cwd: ROOT, encoding: "utf8" });
const tests = await Promise.all(
	listed
		.split("\0")
		.filter((path) => path !== "")
		.map(async (path) => ({ path, text: await readFile(join(ROOT, path), "utf8").catch(() => "") })),
);

const TITLE = /\b(?:test|describe)(?:\.\w+(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1/g;

/** A title's own words: without the statements that it proves, and what is filled in. */
const wordsOf = (title: string) => title.replace(/ \[[^\]]*\]$/, "").replaceAll(/\$\{[^}]*\}/g, "");

test("a title reads as one line: at most 150 characters, beside the statements that it proves", () => {
	const titles = tests.flatMap(({ path, text }) =>
		[...text.matchAll(TITLE)].map(([, , title = ""]) => ({ path, title })),
	);
	expect(titles.length).toBeGreaterThan(5_000);
	expect(titles.filter(({ title }) => wordsOf(title).length > TITLE_MAX)).toEqual([]);
});

/**
 * Tests that wait for a time, rather than look again and again for what they wait for: how often, and what for. Before one is added here, see
 * whether it can wait for the thing itself: a moment is too short on a machine that is busy, and a while is long on all others.
 */
const BY_THE_CLOCK: Readonly<Record<string, readonly [count: number, why: string]>> = {
	"leftovers.test.ts": [1, "that it is done once more, and then not again"],
	"log-lines.test.ts": [5, "that lines are gathered for a time, and a lost one is not tried again"],
	"log.test.ts": [1, "a program of the test that has to wait before it ends"],
	"change-line.test.ts": [1, "changes of the test that take a time"],
	"open.test.ts": [2, "that nothing goes past a lock that another holds"],
	"remote-changes.test.ts": [1, "a database of the test that is slow"],
	"remote.test.ts": [1, "a server of the test that is slow"],
	"patience.test.ts": [1, "work of the test that takes a time"],
	"pool.test.ts": [2, "that no worker is started anew in the meantime"],
	"hostile-servers.test.ts": [2, "a reader of the test that is slower than the server"],
	"backups.test.ts": [1, "a folder of the test that is slow"],
	"cli.test.ts": [1, "a signal that may come before the program hears it"],
	"migrate-imports.test.ts": [1, "that the second program waits for the first"],
	"restore-at.test.ts": [1, "a moment of a clock that counts whole seconds"],
	"s3.test.ts": [2, "that nothing is asked of the store meanwhile"],
	"start.test.ts": [1, "a moment while uploads are under way, whichever"],
	"backup.test.ts": [1, "a moment for a kill, by chance"],
	"kill.test.ts": [3, "a moment for a kill, by chance"],
	"mail-kill.test.ts": [1, "a server of the test that is slow"],
	"malformed.test.ts": [1, "a collector that gives memory back"],
	"properties-multipart.test.ts": [1, "the end of patience with a body that is never read"],
	"strangers.test.ts": [2, "a load that has to be there first, however it is answered"],
	"moved-clock.test.ts": [1, "a body of the test that is sent slowly"],
	"queued-files.test.ts": [1, "that nothing is read meanwhile"],
	"rate-limits.test.ts": [1, "the second after which a key may go on, by the machine's own clock"],
	"cdn-shrunk-masters.test.ts": [1, "that none is made meanwhile"],
	"theme.test.ts": [1, "the two parts of an answer, which come apart"],
};

/** A turn for others, of no time, is none; nor is one in the text of a program. */
const SLEEP = /^(?!\t"[\w.]+\.test\.ts").*(?:\bsleep\((?!0\))|setTimeout\((?:resolve|r),)/;
const LOOP = /\b(?:while|for) ?\(|\bdo \{/;

const indentOf = (line: string) => line.length - line.trimStart().length;

/** A line, and those that begin the blocks around it. */
function around(lines: readonly string[], at: number): readonly string[] {
	const found = [lines[at] ?? ""];
	for (const line of lines.slice(0, at).reverse()) {
		if (line.trim() !== "" && indentOf(line) < indentOf(found.at(-1) ?? "")) found.push(line);
	}
	return found;
}

/** How many lines sleep outside of every loop: a loop looks again. */
function sleepsOf(text: string): number {
	const lines = text.split("\n");
	const isOnce = (at: number) => !around(lines, at).some((line) => LOOP.test(line));
	return lines.filter((line, at) => SLEEP.test(line) && isOnce(at)).length;
}

test("a test waits for what it is about; those that wait for a time are counted here, with the reason", () => {
	const found = tests
		.map(({ path, text }) => [basename(path), sleepsOf(text)] as const)
		.filter(([, count]) => count > 0);
	const known = Object.entries(BY_THE_CLOCK).map(([path, [count]]) => [path, count] as const);
	expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
});
