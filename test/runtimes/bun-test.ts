import { format } from "node:util";
import { expect as jestExpect } from "expect";
import { fn, spyOn as jestSpyOn } from "jest-mock";
import { type Suite, suiteOf, type Work } from "./tree.ts";

/* What tests import from `bun:test`, where they are run on another runtime: as much of it as they use. */

const TIMEOUT_MS = 60_000;

let current = suiteOf("");

/** The tests that a file names while it is loaded. */
export async function collect(load: () => Promise<unknown>): Promise<Suite> {
	const root = suiteOf("");
	current = root;
	await load();
	return root;
}

/** Bun takes a stream as a body without being told that nobody waits for its end. */
globalThis.Request = class extends Request {
	constructor(input: RequestInfo | URL, init?: RequestInit) {
		super(input, init?.body instanceof ReadableStream ? ({ ...init, duplex: "half" } as RequestInit) : init);
	}
};

/** The second argument tells more where it fails, and is Bun's alone. */
export const expect = Object.assign((value: unknown, _more?: string) => jestExpect(value), jestExpect);
export const mock = fn;
export const spyOn = jestSpyOn;

jestExpect.extend({
	toStartWith: (text: string, start: string) => verdict(text.startsWith(start), `${text} to start with ${start}`),
	toEndWith: (text: string, end: string) => verdict(text.endsWith(end), `${text} to end with ${end}`),
	toBeTrue: (value: unknown) => verdict(value === true, `${value} to be true`),
	toBeFalse: (value: unknown) => verdict(value === false, `${value} to be false`),
	toBeString: (value: unknown) => verdict(typeof value === "string", `${value} to be a string`),
	toBeWithin: (value: number, from: number, to: number) =>
		verdict(value >= from && value < to, `${value} to be within ${from} and ${to}`),
});

function verdict(pass: boolean, wanted: string) {
	return { pass, message: () => `expected ${wanted}${pass ? ", not" : ""}` };
}

const hook = (name: keyof Suite["hooks"]) => (work: () => unknown) => void current.hooks[name].push(work);
export const beforeAll = hook("beforeAll");
export const afterAll = hook("afterAll");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");

type Named = (name: string, work: Work, timeoutMs?: number) => void;

export const test = formsOf((isSkipped) => (name, work, timeoutMs = TIMEOUT_MS) => {
	current.items.push({ kind: "test", name, work: work as () => unknown, isSkipped, timeoutMs });
});

export const describe = formsOf((isSkipped) => (name, work) => {
	const outer = current;
	const suite = suiteOf(name, isSkipped);
	outer.items.push(suite);
	current = suite;
	(work as () => unknown)();
	current = outer;
});

function formsOf(make: (isSkipped: boolean) => Named) {
	const forms = (isSkipped: boolean) => Object.assign(make(isSkipped), { each: eachOf(make(isSkipped)) });
	return Object.assign(forms(false), { skip: forms(true), skipIf: forms, if: (runs: boolean) => forms(!runs) });
}

/** Rows are spread over the parameters, and the name is filled with them. */
function eachOf(make: Named) {
	return (rows: readonly unknown[]): Named =>
		(name, work, timeoutMs) => {
			for (const [index, row] of rows.entries()) {
				const values = (Array.isArray(row) ? row : [row]) as never[];
				make(filled(name, values, index), () => work(...values), timeoutMs);
			}
		};
}

function filled(name: string, values: readonly unknown[], index: number): string {
	const places = name.match(/%[sdifjoOp]/g)?.length ?? 0;
	const text = name.replaceAll("%#", String(index)).replaceAll("%p", "%j");
	return format(text, ...values.slice(0, places));
}
