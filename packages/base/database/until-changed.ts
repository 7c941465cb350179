import type { Database } from "./client.ts";

const KEPT_MAX = 10_000;

interface Kept<Found> {
	readonly found: Found;
	/** The database's version when it was read. */
	readonly version: number;
}

/**
 * Keeps what a look-up finds until anything in the database changes. A file has one owner, so no change can pass its version by; a server
 * may have other writers, and is queried each time.
 * @param nameOf tells questions with different answers apart
 * @param isThere whether it is worth keeping: of what is not there strangers could ask for any number
 */
export function untilChanged<Asked extends readonly unknown[], Found>(
	{ version }: Pick<Database, "version">,
	find: (...asked: Asked) => Promise<Found>,
	nameOf: (...asked: Asked) => string,
	isThere: (found: Found) => boolean = (found) => found !== undefined,
): (...asked: Asked) => Promise<Found> {
	if (version === undefined) return find;
	const kept = new Map<string, Kept<Found>>();

	return async (...asked) => {
		const name = nameOf(...asked);
		const now = version();
		const known = kept.get(name);
		if (known?.version === now) return known.found;
		kept.delete(name);
		const found = await find(...asked);
		if (isThere(found)) keep(kept, name, { found, version: now });
		return found;
	};
}

function keep<Found>(kept: Map<string, Kept<Found>>, name: string, found: Kept<Found>): void {
	kept.set(name, found);
	if (kept.size <= KEPT_MAX) return;
	for (const oldest of kept.keys()) {
		kept.delete(oldest);
		return;
	}
}
