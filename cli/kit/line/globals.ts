import { UsageError } from "@svc/base/processes/exit";
import { oneOf } from "./choice.ts";

const FORMATS = ["table", "json", "jsonl", "tsv"] as const;
export type Format = (typeof FORMATS)[number];

export interface FlagShape {
	readonly type: "boolean" | "string";
	readonly description: string;
	readonly valueHint?: string;
	/** A single letter. */
	readonly alias?: string;
}

/** Taken out of the line wherever they stand, before the command is looked for. */
export const GLOBAL_FLAGS = {
	profile: {
		type: "string",
		valueHint: "name",
		description: "Use this profile instead of SVC_API_KEY or the current one",
	},
	app: { type: "string", valueHint: "id", description: "Work in this App instead of the profile's own" },
	user: { type: "string", valueHint: "id", description: "Work in the storage of this connected user" },
	output: { type: "string", valueHint: FORMATS.join("|"), alias: "o", description: "Format of the data" },
	json: { type: "boolean", description: "The same as -o json; errors are JSON too" },
	field: { type: "string", valueHint: "a.b", description: "Print only this field of each thing" },
	jq: { type: "string", valueHint: "filter", description: "Print what this filter of jq makes of the JSON" },
	wide: { type: "boolean", description: "Tables with every column in full, however narrow the terminal is" },
	quiet: { type: "boolean", alias: "q", description: "Print ids only, and no notes" },
	yes: { type: "boolean", description: "Do not ask before what cannot be undone" },
	"dry-run": { type: "boolean", description: "Say what would be changed and change nothing" },
	"no-input": { type: "boolean", description: "Never ask; fail instead" },
	timeout: {
		type: "string",
		valueHint: "30s",
		description: "Give up after this time, all calls and repeats together: 500ms, 30s, 2m",
	},
	verbose: { type: "boolean", description: "Show each request on standard error" },
	help: { type: "boolean", alias: "h", description: "Explain a command" },
	version: { type: "boolean", description: "Print the version" },
} as const satisfies Record<string, FlagShape>;

export type GlobalName = keyof typeof GLOBAL_FLAGS;

export interface Globals {
	readonly profile: string | undefined;
	readonly app: string | undefined;
	readonly user: string | undefined;
	readonly format: Format | undefined;
	readonly field: string | undefined;
	readonly jq: string | undefined;
	readonly wide: boolean;
	readonly quiet: boolean;
	readonly yes: boolean;
	readonly dryRun: boolean;
	readonly noInput: boolean;
	/** Milliseconds that are left of `--timeout`; undefined without it. */
	readonly leftMs: (() => number) | undefined;
	readonly verbose: boolean;
	readonly help: boolean;
	readonly version: boolean;
}

/** Values by flag; a boolean flag that was given has the value `true`. */
export type Hoisted = ReadonlyMap<GlobalName, string | true>;

/** A day. Timers take no more than 24 of them, and end at once beyond. */
const MOST_MS = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** The command's time runs from here on. @throws UsageError */
export function readGlobals(hoisted: Hoisted, now: () => number): Globals {
	return {
		profile: textOf(hoisted, "profile"),
		app: textOf(hoisted, "app"),
		user: textOf(hoisted, "user"),
		format: readFormat(hoisted),
		field: textOf(hoisted, "field"),
		jq: readFilter(hoisted),
		wide: hoisted.has("wide"),
		quiet: hoisted.has("quiet"),
		yes: hoisted.has("yes"),
		dryRun: hoisted.has("dry-run"),
		noInput: hoisted.has("no-input"),
		leftMs: readTimeout(hoisted, now),
		verbose: hoisted.has("verbose"),
		help: hoisted.has("help"),
		version: hoisted.has("version"),
	};
}

function textOf(hoisted: Hoisted, name: GlobalName): string | undefined {
	const value = hoisted.get(name);
	return value === true ? undefined : value;
}

function readFormat(hoisted: Hoisted): Format | undefined {
	const asked = textOf(hoisted, "output");
	if (hoisted.has("json") && asked !== undefined && asked !== "json") {
		throw new UsageError(`--json and --output ${asked} exclude each other.`);
	}
	if (asked === undefined) return hoisted.has("json") || hoisted.has("jq") ? "json" : undefined;
	return oneOf("--output", asked, FORMATS);
}

/** A filter is of the JSON that the command prints. */
function readFilter(hoisted: Hoisted): string | undefined {
	const asked = textOf(hoisted, "output") ?? "json";
	if (hoisted.has("jq") && asked !== "json") throw new UsageError(`--jq and --output ${asked} exclude each other.`);
	if (hoisted.has("jq") && hoisted.has("field")) throw new UsageError("--jq and --field exclude each other.");
	return textOf(hoisted, "jq");
}

function readTimeout(hoisted: Hoisted, now: () => number): (() => number) | undefined {
	const asked = textOf(hoisted, "timeout");
	if (asked === undefined) return undefined;
	const [, amount, unit = "s"] = /^(\d{1,6})(ms|s|m)?$/.exec(asked) ?? [];
	const milliseconds = Number(amount) * (UNITS[unit] ?? 0);
	const endsMs = now() + milliseconds;
	if (milliseconds > 0 && milliseconds <= MOST_MS) return () => Math.max(1, Math.ceil(endsMs - now()));
	throw new UsageError(`--timeout takes a time such as 500ms, 30s or 2m, at most a day; not "${asked}".`);
}
