import type { Fetch } from "@svc/sdk/request";
import type { RunShell } from "../handover/shell.ts";

/** One of the process's two outputs. */
export interface Terminal {
	write(text: string): Promise<void>;
	readonly isTerminal: boolean;
	/** Cells across. */
	readonly columns: number;
	/** Lines. */
	readonly rows: number;
}

/** All that the program sees of the process it runs in; `main.ts` makes the real one, tests make their own. */
export interface Process {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
	readonly home: string;
	/** Root of the source checkout that the program runs from; undefined for the bundled file. */
	readonly checkout: string | undefined;
	/** Name and version of the runtime. */
	readonly runtime: string;
	readonly out: Terminal;
	readonly err: Terminal;
	/** Whether a person is there to answer. */
	readonly canAsk: boolean;
	ask(question: string): Promise<string>;
	/** All of standard input. */
	readInput(): Promise<string>;
	readonly fetch: Fetch;
	/** Opens an address in the person's browser; false where there is none. */
	browse(url: string): Promise<boolean>;
	/** Runs a command line in the person's shell. */
	readonly runShell: RunShell;
	/** Milliseconds, for rates. */
	now(): number;
	/** What this machine's clock says. */
	date(): Date;
	/** Aborted by Ctrl-C. */
	readonly signal: AbortSignal;
}
