import type { Readable, Writable } from "node:stream";
import type { Fetch } from "@svc/sdk/wire/request";
import type { RunShell } from "../handover/shell.ts";
import type { ServiceProgram } from "../service/program.ts";

/** One of the process's two output streams. */
export interface Terminal {
	write(text: string): Promise<void>;
	readonly isTerminal: boolean;
	/** Width in cells. */
	readonly columns: number;
	/** Height in lines. */
	readonly rows: number;
}

/** All that the program sees of the process it runs in; `main.ts` makes the real one, tests make their own. */
export interface Process {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
	readonly home: string;
	/** How a command of this program begins here: `svc`, or what the launcher of a checkout was called as. */
	readonly command: string;
	/** Root of the source checkout that the program runs from; undefined for the bundled file. */
	readonly checkout: string | undefined;
	/** Name and version of the runtime. */
	readonly runtime: string;
	readonly out: Terminal;
	readonly err: Terminal;
	/** Whether a person can answer a prompt. */
	readonly canAsk: boolean;
	ask(question: string): Promise<string>;
	/** Reads all of standard input. */
	readInput(): Promise<string>;
	/** Reads all of standard input, as bytes; undefined where there are more than `most`. */
	readBytes(most: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
	/** Standard input and output, for a command that speaks with another program. */
	streams(): { readonly input: Readable; readonly output: Writable };
	readonly fetch: Fetch;
	/** Opens an address in the person's browser; false where there is none. */
	browse(url: string): Promise<boolean>;
	/** Runs a command line in the person's shell. */
	readonly runShell: RunShell;
	readonly service: ServiceProgram;
	/** Milliseconds of a clock for rates. */
	now(): number;
	/** The time of this machine's clock. */
	date(): Date;
	/** Ctrl-C aborts it. */
	readonly signal: AbortSignal;
}
