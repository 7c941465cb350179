import { printableLine } from "@svc/base/text";
import type { Context } from "./command.ts";
import { EXIT, type ExitCode, LocalError, UsageError } from "./exit.ts";
import type { Output } from "./output/output.ts";
import { type Column, fields } from "./output/table.ts";

/** Asks before what cannot be undone. @throws UsageError naming the flag, where there is no terminal to ask on */
export async function confirm({ process, globals }: Context, question: string): Promise<void> {
	if (globals.yes) return;
	if (globals.noInput || !process.canAsk)
		throw new UsageError("This cannot be undone and nobody can be asked.", "Add --yes.");
	const answer = await process.ask(`${printableLine(question)} [y/N] `);
	if (!/^y(es)?$/i.test(answer.trim())) throw new LocalError("Nothing was changed.", undefined, EXIT.failed);
}

/**
 * Asks before what cannot be undone, with a question that has to be looked up first. It is looked up only where it will be asked.
 * @throws UsageError naming the flag, where there is no terminal to ask on
 */
export async function confirmAbout(context: Context, question: () => Promise<string>): Promise<void> {
	const { globals, process } = context;
	const isAsked = process.canAsk && !globals.noInput && !globals.yes;
	await confirm(context, isAsked ? await question() : "");
}

/** A call that would be made. */
export interface PlannedCall {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
}

const COLUMNS: readonly Column<PlannedCall>[] = [
	...fields("method", "path"),
	{ name: "body", value: (call) => call.body },
];

/** Shows what would be sent instead of sending it. */
export async function showDryRun(out: Output, calls: readonly PlannedCall[]): Promise<ExitCode> {
	await out.note("Nothing is sent. These calls would be made:");
	await out.rows(COLUMNS, calls);
	return EXIT.ok;
}
