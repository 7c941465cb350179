import { DatabaseError } from "../database-error.ts";

export interface ChangeLineOptions {
	/** How long one change keeps the others waiting: one that gets no answer must not stop all. */
	readonly placeMs?: number;
	/** How long a change waits for its place before it is refused. */
	readonly waitMs?: number;
}

/** Runs a change when its place in the line has come. */
export type ChangeLine = <T>(change: () => Promise<T>) => Promise<T>;

/** Longer than the server lets one keep others waiting: a second connection only makes its line longer. */
const PLACE_MS = 6_000;
const WAIT_MS = 5_000;

/**
 * A line in which changes of one process wait for each other here, and not in the libSQL server, which commits one at a time anyway. There three
 * connections that wait to write can leave an entry of a closed one in the server's own line (seen in 0.24.32); when its place comes nobody
 * takes it, and the server writes nothing more until it is started anew.
 * @throws DatabaseError from a change that waited too long: nothing of it was tried.
 */
export function changeLine({ placeMs = PLACE_MS, waitMs = WAIT_MS }: ChangeLineOptions = {}): ChangeLine {
	const waiting = new Set<() => void>();
	let isTaken = false;

	function place(): Promise<void> {
		if (!isTaken) {
			isTaken = true;
			return Promise.resolve();
		}
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const timer = setTimeout(() => {
			waiting.delete(go);
			reject(new DatabaseError("SQLITE_BUSY", "no", undefined));
		}, waitMs);
		const go = () => {
			clearTimeout(timer);
			waiting.delete(go);
			resolve();
		};
		waiting.add(go);
		return promise;
	}

	function leave(): void {
		const [first] = waiting;
		if (first) first();
		else isTaken = false;
	}

	return async (change) => {
		await place();
		let hasLeft = false;
		const leaveOnce = () => {
			if (hasLeft) return;
			hasLeft = true;
			leave();
		};
		const timer = setTimeout(leaveOnce, placeMs);
		try {
			return await change();
		} finally {
			clearTimeout(timer);
			leaveOnce();
		}
	};
}
