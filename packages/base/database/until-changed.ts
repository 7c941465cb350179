import { LeastRecent } from "../pace/least-recent.ts";
import type { Reads } from "./changes.ts";
import type { Database } from "./client.ts";
import type { Rows } from "./rows.ts";

const KEPT_MAX = 10_000;

interface Kept<Found> {
	readonly found: Found;
	readonly reads: Reads;
	/** The database's number when it was read. */
	readonly at: number;
}

/** A look-up that has not ended. */
interface UnderWay<Found> {
	readonly found: Promise<Found>;
	/** The database's number when it began. */
	readonly at: number;
}

/** A look-up of which what it finds is worth keeping. */
interface KeptLookUp<Asked extends readonly unknown[], Found> {
	readonly find: (...asked: Asked) => Promise<Found>;
	/** The query that it is made by, which tells the tables that it reads. */
	readonly sql: string;
	/** Tells questions with different answers apart. */
	readonly nameOf: (...asked: Asked) => string;
	/** Of which tables it reads which rows alone. */
	readonly rowsOf?: (found: Found & {}) => readonly Rows[];
	/** Whether it is worth keeping: of what is not there strangers could ask for any number. */
	readonly isThere?: (found: Found) => boolean;
}

/**
 * Keeps what a look-up finds until something is changed of what it read. A file has one owner, so no change can pass by; a server may have other
 * writers, and is queried each time.
 */
export function untilChanged<Asked extends readonly unknown[], Found>(
	{ changes }: Pick<Database, "changes">,
	{ find, sql, nameOf, rowsOf, isThere = (found) => found !== undefined }: KeptLookUp<Asked, Found>,
): (...asked: Asked) => Promise<Found> {
	if (changes === undefined) return find;
	const kept = new LeastRecent<string, Kept<Found>>(KEPT_MAX);
	const underWay = new Map<string, UnderWay<Found>>();

	/** Those who ask while it is looked up, and nothing at all has changed since, have the same answer. */
	function ask(name: string, at: number, asked: Asked): Promise<Found> {
		const known = underWay.get(name);
		if (known?.at === at) return known.found;
		const found = find(...asked);
		const looking = { at, found };
		underWay.set(name, looking);
		const end = () => {
			if (underWay.get(name) === looking) underWay.delete(name);
		};
		found.then(end, end);
		return found;
	}

	return async (...asked) => {
		const name = nameOf(...asked);
		const known = kept.get(name);
		if (known && changes.isAsRead(known.reads, known.at)) return known.found;
		kept.delete(name);
		const at = changes.now();
		const found = await ask(name, at, asked);
		if (found === undefined || found === null || !isThere(found)) return found;
		const reads = changes.readBy(sql, rowsOf?.(found));
		if (reads) kept.set(name, { found, reads, at });
		return found;
	};
}
