import { DatabaseError } from "../../database-error.ts";

export interface ChangeLineOptions<Change> {
	/** How many may go together, and how large they may be together, by `sizeOf`; one alone may be larger. */
	readonly groupMax?: number;
	readonly sizeMax?: number;
	readonly sizeOf?: (change: Change) => number;
	/** How long those that go keep the others waiting, where one may get no answer, which must not stop all; without it until they have ended. */
	readonly placeMs?: number;
	/** How long a change waits for its place before it is refused; without it as long as it takes. */
	readonly waitMs?: number;
}

interface Waiting<Change, Done> {
	readonly change: Change;
	readonly timer: ReturnType<typeof setTimeout> | undefined;
	readonly answer: Answer<Done>;
}

interface Answer<Done> {
	resolve(done: Done): void;
	reject(cause: unknown): void;
}

/** A change whose turn has come. */
export interface Going<Change, Done> extends Pick<Waiting<Change, Done>, "change" | "answer"> {}

/** Makes a change when its place in the line has come. */
export type ChangeLine<Change, Done> = (change: Change) => Promise<Done>;

/** What more of them share saves a server hardly anything; a group must not hold the server's one place for writers for long. */
export const GROUP_MAX = 24;
const SIZE_MAX = 200_000;

/**
 * A line in which changes of one process wait for each other. Those that wait while others are made go together, in the order in which they came: they
 * share a commit, and the wait for a disk. Nobody waits for others to come.
 * @param run makes changes together, and answers each of them; never rejects
 * @throws DatabaseError from a change that waited too long: nothing of it was tried.
 */
export function changeLine<Change, Done>(
	run: (going: readonly Going<Change, Done>[]) => Promise<void>,
	{ groupMax = GROUP_MAX, sizeMax = SIZE_MAX, sizeOf = () => 1, placeMs, waitMs }: ChangeLineOptions<Change> = {},
): ChangeLine<Change, Done> {
	/** In the order of arrival; one in the middle leaves for nothing. */
	const waiting = new Set<Waiting<Change, Done>>();
	let isTaken = false;

	function next(): Waiting<Change, Done>[] {
		const going: Waiting<Change, Done>[] = [];
		let size = 0;
		for (const one of waiting) {
			size += sizeOf(one.change);
			if (going.length > 0 && (going.length === groupMax || size > sizeMax)) break;
			going.push(one);
		}
		for (const one of going) {
			clearTimeout(one.timer);
			waiting.delete(one);
		}
		return going;
	}

	function go(): void {
		isTaken = waiting.size > 0;
		if (!isTaken) return;
		let hasLeft = false;
		const leaveOnce = () => {
			clearTimeout(timer);
			if (!hasLeft) setImmediate(go);
			hasLeft = true;
		};
		const timer = placeMs === undefined ? undefined : setTimeout(leaveOnce, placeMs);
		const going = next();
		run(going)
			.catch((cause: unknown) => {
				for (const { answer } of going) answer.reject(cause);
			})
			.finally(leaveOnce);
	}

	return (change) => {
		const { promise, ...answer } = Promise.withResolvers<Done>();
		const refuse = () => {
			waiting.delete(one);
			answer.reject(new DatabaseError("SQLITE_BUSY", "no", undefined));
		};
		const timer = waitMs === undefined ? undefined : setTimeout(refuse, waitMs);
		const one = { change, timer, answer };
		waiting.add(one);
		if (!isTaken) {
			isTaken = true;
			setImmediate(go);
		}
		return promise;
	};
}
