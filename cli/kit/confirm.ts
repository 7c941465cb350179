import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";
import type { Context } from "./command.ts";

/** Asks before what cannot be undone. @throws UsageError naming the flag, where there is no terminal to ask on */
export async function confirm({ process, globals }: Context, question: string): Promise<void> {
	// What cannot be undone is not done in a dry run.
	if (globals.yes || globals.dryRun) return;
	if (globals.noInput || !process.canAsk)
		throw new UsageError("This asks before it goes on, and nobody can be asked here.", "Add --yes.");
	const answer = await process.ask(`${printableLine(question)} [y/N] `);
	if (!/^y(es)?$/i.test(answer.trim())) throw new LocalError("Nothing was changed.", undefined, EXIT.failed);
}

/**
 * Asks before what cannot be undone, with a question that has to be looked up first. It is looked up only where it will be asked.
 * @throws UsageError naming the flag, where there is no terminal to ask on
 */
export async function confirmAbout(context: Context, question: () => Promise<string>): Promise<void> {
	const { globals, process } = context;
	const isAsked = process.canAsk && !globals.noInput && !globals.yes && !globals.dryRun;
	await confirm(context, isAsked ? await question() : "");
}
