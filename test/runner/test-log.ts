/* What a test runner prints, read as it comes: Bun's, and that of test/runtimes, which counts as Bun's does. */

/** How much of what stood before a failure is told with it. */
const TOLD_LINES = 30;
const TOLD_CHARACTERS = 400;

export interface TestFailure {
	/** As the runner names it, from the root of the checkout; empty where it named none. */
	readonly file: string;
	/** What was printed since the test before, and its title. */
	readonly lines: readonly string[];
	/** Whether one test failed by itself: it may be tried again. What was left behind by some test, or has no end, may not. */
	readonly isOfTest: boolean;
}

export class TestLog {
	readonly counts = { pass: 0, skip: 0, fail: 0, error: 0 };
	/** Each file that was begun, and when. */
	readonly files: { readonly name: string; readonly beganMs: number }[] = [];
	/** Whether the runner came to its end and counted: one that died has not. */
	hasCounted = false;
	readonly #failures: TestFailure[] = [];
	#lines: string[] = [];
	/** In the list of failures at the end, which the runner has told before. */
	#again = false;

	/** @param nowMs when the line was read */
	take(line: string, nowMs: number): void {
		const file = /^(?:::group::)?(\S+\.test\.[jt]sx?):$/.exec(line)?.[1];
		if (file !== undefined) this.#begin(file, nowMs);
		else if (/^\d+ tests? failed:$/.test(line)) this.#again = true;
		else if (/^ *\((?:pass|skip|todo)\) /.test(line)) this.#lines = [];
		else if (/^ *\(fail\) /.test(line)) this.#fail(line);
		else if (!this.#count(line)) this.#lines.push(line.slice(0, TOLD_CHARACTERS));
	}

	/** All failures; an error that no test of its own had is one, since some test has left it behind. */
	get failures(): readonly TestFailure[] {
		return this.#failures;
	}

	/** The last lines, of which no test was the reason. */
	get rest(): readonly string[] {
		return this.#lines.slice(-TOLD_LINES);
	}

	#begin(name: string, nowMs: number): void {
		this.files.push({ name, beganMs: nowMs });
		this.#lines = [];
		this.#again = false;
	}

	#fail(line: string): void {
		if (!this.#again) this.#tell([...this.#lines.slice(-TOLD_LINES), line], true);
		this.#lines = [];
	}

	#tell(lines: readonly string[], isOfTest: boolean): void {
		this.#failures.push({ file: this.files.at(-1)?.name ?? "", lines, isOfTest });
	}

	#count(line: string): boolean {
		const [, count, word = ""] = /^ *(\d+) (pass|skip|todo|fail|error)s?$/.exec(line) ?? [];
		if (count === undefined) return false;
		this.hasCounted = true;
		if (word === "error") this.#tell([...this.#lines.slice(-TOLD_LINES), `${count} unhandled between tests`], false);
		this.counts[word === "todo" ? "skip" : (word as keyof TestLog["counts"])] += Number(count);
		return true;
	}
}
