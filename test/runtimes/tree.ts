/* The tests of a file as they are named, and the order in which they are run. What `bun:test` does for Bun. */

export type Work = (...values: never[]) => unknown;

interface Test {
	readonly kind: "test";
	readonly name: string;
	readonly work: () => unknown;
	readonly isSkipped: boolean;
	readonly timeoutMs: number;
}

export interface Suite {
	readonly kind: "suite";
	readonly name: string;
	readonly isSkipped: boolean;
	readonly items: (Test | Suite)[];
	readonly hooks: Readonly<Record<"beforeAll" | "afterAll" | "beforeEach" | "afterEach", (() => unknown)[]>>;
}

export interface Tally {
	passed: number;
	failed: number;
	skipped: number;
}

const HOOK_MS = 120_000;

export function suiteOf(name: string, isSkipped = false): Suite {
	return {
		kind: "suite",
		name,
		isSkipped,
		items: [],
		hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] },
	};
}

/** Where runs are counted, and what is said about each. */
interface Report {
	readonly tally: Tally;
	readonly say: (line: string) => void;
}

/** Runs all tests of a suite inside of `outer`, one after the other. */
export async function runSuite(suite: Suite, outer: readonly Suite[], report: Report): Promise<void> {
	const suites = [...outer, suite];
	if (suite.isSkipped) return skip(suite, report.tally);
	const names = suites.slice(1).map(({ name }) => name);
	const noted = (name: string, work: () => Promise<void>) => succeeds([...names, name].join(" > "), work, report);
	const isReady = await noted("(before all)", () => all(suite.hooks.beforeAll));
	for (const item of isReady ? suite.items : []) {
		if (item.kind === "suite") await runSuite(item, suites, report);
		else if (item.isSkipped) report.tally.skipped++;
		else if (await noted(item.name, () => runTest(item, suites))) report.tally.passed++;
	}
	await noted("(after all)", () => all(suite.hooks.afterAll));
}

function skip({ items }: Suite, tally: Tally): void {
	for (const item of items) {
		if (item.kind === "suite") skip(item, tally);
		else tally.skipped++;
	}
}

async function succeeds(name: string, work: () => Promise<void>, { tally, say }: Report): Promise<boolean> {
	try {
		await work();
		return true;
	} catch (error) {
		tally.failed++;
		say(`(fail) ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		return false;
	}
}

async function runTest({ work, timeoutMs }: Test, suites: readonly Suite[]): Promise<void> {
	for (const { hooks } of suites) await all(hooks.beforeEach);
	try {
		await within(timeoutMs, work);
	} finally {
		for (const { hooks } of suites.toReversed()) await all(hooks.afterEach);
	}
}

async function all(hooks: readonly (() => unknown)[]): Promise<void> {
	for (const hook of hooks) await within(HOOK_MS, hook);
}

async function within(milliseconds: number, work: () => unknown): Promise<void> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`not done after ${milliseconds} ms`)), milliseconds);
	try {
		await Promise.race([work(), late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
