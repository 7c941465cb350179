import { EXIT, LocalError, UsageError } from "./exit.ts";
import type { Context } from "./leaf.ts";
import { plainLine } from "./text.ts";

/** Asks before what cannot be undone. @throws UsageError naming the flag, where nobody can be asked. */
export async function confirm({ world, globals }: Context, question: string): Promise<void> {
	if (globals.yes) return;
	if (globals.noInput || !world.canAsk)
		throw new UsageError("This cannot be undone and nobody can be asked.", "Add --yes.");
	const answer = await world.ask(`${plainLine(question)} [y/N] `);
	if (!/^y(es)?$/i.test(answer.trim())) throw new LocalError("Nothing was changed.", undefined, EXIT.failed);
}
