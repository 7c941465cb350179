import { LocalError, UsageError } from "@svc/base/processes/exit";
import { type Jq, loadJq } from "jq-wasm/inline";

/* jq itself, as WebAssembly of more than a megabyte: loaded only for a line that has --jq. */

let loaded: Promise<Jq> | undefined;

function open(): Promise<Jq> {
	loaded ??= loadJq();
	return loaded;
}

/** jq ends with this where it does not understand the filter. */
const NOT_COMPILED = 3;

/** Asked before a command does anything: what is mistyped must not cost an answer. @throws UsageError */
export async function checkFilter(filter: string): Promise<void> {
	const { exitCode, stderr } = (await open()).raw(null, `empty | (${filter}\n)`);
	if (exitCode === NOT_COMPILED) throw new UsageError(`--jq takes a filter of jq. ${reasonIn(stderr)}`);
}

/** Texts as they are and all else as JSON, each on a line, as `jq -r -c` prints them. @throws LocalError where the filter does not fit the value */
export async function jqText(filter: string, value: unknown): Promise<string> {
	const { stdout, stderr, exitCode } = (await open()).raw(JSON.stringify(value), filter, ["-r", "-c"]);
	if (exitCode !== 0) throw new LocalError(`--jq: ${reasonIn(stderr)}`, "See what there is: --json");
	return stdout === "" || stdout.endsWith("\n") ? stdout : `${stdout}\n`;
}

/** The first line that says something, without the program's own name and a place that is not that of the line as typed. */
function reasonIn(stderr: string): string {
	const [first = ""] = stderr.split("\n").filter((line) => line.trim() !== "");
	return first.replace(/^jq: (error(?: \(at [^)]*\))?: )?/, "").replace(/ at <top-level>.*$/, ".");
}
