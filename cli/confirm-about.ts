import { confirm } from "./confirm.ts";
import type { Context } from "./leaf.ts";

/**
 * Asks before what cannot be undone, with a question that has to be looked up first; where nobody is asked, nothing is.
 * @throws UsageError naming the flag, where nobody can be asked
 */
export async function confirmAbout(context: Context, question: () => Promise<string>): Promise<void> {
	const { globals, world } = context;
	const isAsked = world.canAsk && !globals.noInput && !globals.yes;
	await confirm(context, isAsked ? await question() : "");
}
