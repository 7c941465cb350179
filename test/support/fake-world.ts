import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { RunShell } from "@svc/cli/handover/shell";
import type { Process, Terminal } from "@svc/cli/kit/process";
import type { ServiceProgram } from "@svc/cli/service/program";
import type { Fetch } from "@svc/sdk/wire/request";

/** A process for tests: what it wrote is kept, what it sees is given. */
export interface FakeWorld extends Process {
	/** Standard output so far. */
	outText(): string;
	/** Standard error so far. */
	errText(): string;
}

interface FakeOptions {
	readonly fetch?: Fetch;
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** How a command begins on this machine. */
	readonly command?: string;
	/** Both outputs are terminals, and a person is there. */
	readonly isTerminal?: boolean;
	readonly columns?: number;
	readonly answer?: string;
	readonly input?: string;
	readonly signal?: AbortSignal;
	readonly runShell?: RunShell;
	readonly service?: ServiceProgram;
	readonly browse?: (url: string) => Promise<boolean>;
	/** Milliseconds of a clock that only goes forward; stands still where it is not given. */
	readonly now?: () => number;
}

/** What the service's program would say of a data directory. */
const ADOPTION = {
	object: "adoption",
	adopted: true,
	database: { place: "/data/svc.db", installation: "ins_1" },
	pictures: { place: "/data/images", installation: "ins_2", known: 3, unknown: 1 },
	secret: { known: "1a2b3c4d", given: ["1a2b3c4d"] },
	lost: {},
};

const FORGOTTEN = {
	object: "forgotten_processor",
	forgotten: true,
	processor: { name: "simulated", account: null, mode: null },
	subscriptions: 2,
};

const MIGRATION = { object: "migration", migrated: true, missing: ["0001_example"], later: [] };

const ROTATION = {
	...{ object: "secret_rotation", rotated: true, place: "/data/deployment-secret", fingerprint: "1a2b3c4d" },
	...{ former_until: "2027-01-01T00:00:00.000Z", tickets: 2, links: 3 },
};

const SAID: Readonly<Record<string, unknown>> = {
	adopt: ADOPTION,
	"forget-processor": FORGOTTEN,
	migrate: MIGRATION,
	"rotate-secret": ROTATION,
};

function fakeTerminal(isTerminal: boolean, columns: number): Terminal & { readonly text: () => string } {
	let written = "";
	return {
		isTerminal,
		columns,
		rows: 24,
		text: () => written,
		write: async (text) => {
			written += text;
		},
	};
}

export function fakeWorld(options: FakeOptions = {}): FakeWorld {
	const { isTerminal = false, columns = 80 } = options;
	const out = fakeTerminal(isTerminal, columns);
	const err = fakeTerminal(isTerminal, columns);
	return {
		env: options.env ?? { SVC_API_KEY: "svc_sk_test_secret", SVC_BASE_URL: "http://svc.test" },
		cwd: options.cwd ?? "/nowhere",
		home: join(options.cwd ?? "/nowhere", "home"),
		command: options.command ?? "svc",
		checkout: undefined,
		runtime: "Test 1",
		out,
		err,
		outText: out.text,
		errText: err.text,
		canAsk: isTerminal,
		ask: async (question) => {
			await err.write(question);
			return options.answer ?? "";
		},
		readInput: async () => options.input ?? "",
		readBytes: async (most) => {
			const bytes = new TextEncoder().encode(options.input ?? "");
			return bytes.length > most ? undefined : bytes;
		},
		streams: () => ({ input: Readable.from([]), output: new Writable({ write: (_, __, done) => done() }) }),
		fetch: options.fetch ?? (async () => Promise.reject(new TypeError("no network in this test"))),
		browse: options.browse ?? (async () => true),
		service: options.service ?? {
			path: async () => "/nowhere/main.ts",
			run: async ([word = ""]) => ({ exit: 0, out: JSON.stringify(SAID[word]), err: "" }),
			serve: async () => 0,
		},
		runShell: options.runShell ?? (async () => ({ exit: 0, tookInput: true })),
		now: options.now ?? (() => 0),
		date: () => new Date("2026-01-01T00:00:00.000Z"),
		signal: options.signal ?? new AbortController().signal,
	};
}
