/*
 * The event loop does one thing at a time, and begins in one of its turns all that has come meanwhile: twenty uploads, each with a megabyte to look
 * at, or a thousand requests. Together they would keep everybody else waiting, a balancer's probe too. So what may come in numbers asks here before
 * it goes on.
 */

/** A turn takes work for this long; what it took last is still done. */
const TURN_MS = 8;

let startedMs: number | undefined;

/** Lets the event loop turn, so that timers, sockets and the database driver's own cleanup run. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Whether work that can wait should wait: this turn has taken long enough. */
export function isTurnLong(): boolean {
	if (startedMs !== undefined) return performance.now() - startedMs > TURN_MS;
	startedMs = performance.now();
	setImmediate(() => {
		startedMs = undefined;
	});
	return false;
}

/** Resolves at once while the turn is short, and otherwise in a later one. Those that wait go on in the order in which they came. */
export async function shareTurn(): Promise<void> {
	while (isTurnLong()) await nextTurn();
}
