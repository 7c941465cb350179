import { Rounds } from "./rounds.ts";

/*
 * The event loop does one thing at a time, and begins in one of its turns all that has come meanwhile: twenty uploads, each with a megabyte to look
 * at, or a thousand requests. Together they would keep everybody else waiting, a balancer's probe too. So what may come in numbers asks here before
 * it goes on.
 */

/** A turn takes work for this long; what it took last is still done. */
const TURN_MS = 8;

let startedMs: number | undefined;
/** What belongs to requests that have begun, and to chores. */
const begun = new Rounds<() => void>();
/** What clients have sent and nobody has begun: requests, and pieces of bodies. */
const sent = new Rounds<() => void>();
let isBegunNext = true;
/** However long a turn has been, it takes one of those that wait: what comes in all the time would keep them out for ever. */
let hasTaken = false;

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
		hasTaken = false;
	});
	return false;
}

/** Whether what has just come from outside has to wait: also while others do that came before it. */
export function isTurnTaken(): boolean {
	return sent.size > 0 || isTurnLong();
}

/** Resolves at once while the turn is short, and otherwise in a later one, in the order in which it was asked. For work that has begun. */
export async function shareTurn(): Promise<void> {
	if (isTurnLong()) await waitIn(begun, "");
}

/**
 * The same for what a client has sent: where several wait their clients go on in turn, with one request or one piece each. Whoever keeps the loop busy
 * gets no place before the others have had theirs.
 * @param client whatever tells one from another: a network
 */
export async function takeTurn(client: string): Promise<void> {
	if (isTurnTaken()) await waitIn(sent, client);
}

function waitIn(line: Rounds<() => void>, client: string): Promise<void> {
	return new Promise((resolve) => {
		line.add(client, resolve);
		setImmediate(admit);
	});
}

/** Runs once for each of those that wait, in each turn. */
function admit(): void {
	if (isTurnLong() && hasTaken) {
		setImmediate(admit);
		return;
	}
	hasTaken = true;
	const [first, second] = isBegunNext ? [begun, sent] : [sent, begun];
	isBegunNext = !isBegunNext;
	const go = first.next() ?? second.next();
	go?.();
}
