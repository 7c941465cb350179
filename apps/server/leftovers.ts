/*
 * A start leaves objects and compiled code behind that nothing needs any more: tables that were read, modules' own beginnings. A service that
 * nobody calls makes too little garbage for the runtime to look for them soon.
 */

/** The first round of all chores is over then. */
const FIRST_MS = 2_500;
/** What was let go at first is given back to the system by another look. */
const SECOND_MS = 300;

interface Runtime {
	readonly Bun?: { gc(synchronous: boolean): unknown; shrink?(): unknown };
}

/** Gives back what the start has left, once, in two looks. Does nothing on other runtimes. */
export function giveBackLeftovers({ Bun: bun }: Runtime = globalThis as Runtime): void {
	if (bun === undefined) return;
	setTimeout(() => {
		bun.gc(true);
		bun.shrink?.();
	}, FIRST_MS).unref();
	setTimeout(() => bun.gc(true), FIRST_MS + SECOND_MS).unref();
}
