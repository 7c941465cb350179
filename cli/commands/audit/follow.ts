import type { AuditEntry } from "@svc/sdk/shapes";

/** Entries carry the time at which their call began, so that one may come after another that is younger. */
const OVERLAP_MS = 60_000;

interface FollowOptions {
	/** Entries from a time on, newest first; all of them without one. */
	since(date: string | undefined): AsyncIterable<AuditEntry>;
	/** Between two looks. */
	pause(): Promise<void>;
	/** Where to begin. Undefined: with the last few. */
	readonly from: string | undefined;
	/** How many those are. */
	readonly backlog: number;
}

const timeOf = ({ created_at }: AuditEntry): number => Date.parse(created_at);

/** Entries as they come, oldest first, each of them once. */
export async function* follow(following: FollowOptions): AsyncGenerator<AuditEntry, void, undefined> {
	const { since, pause, from, backlog } = following;
	const floorMs = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
	/** What the next look may find again, and no more. */
	let seen: readonly AuditEntry[] = await firstLook(following);
	yield* (from === undefined ? seen.slice(0, backlog) : seen).toReversed();
	for (;;) {
		await pause();
		const overlapMs = newestOf(seen) - OVERLAP_MS;
		const startMs = Math.max(floorMs, overlapMs);
		const known = new Set(seen.map(({ id }) => id));
		const fresh: AuditEntry[] = [];
		for await (const entry of since(Number.isFinite(startMs) ? new Date(startMs).toISOString() : undefined)) {
			if (!known.has(entry.id)) fresh.push(entry);
		}
		yield* fresh.toReversed();
		const all = [...seen, ...fresh];
		const keptMs = newestOf(all) - OVERLAP_MS;
		seen = all.filter((entry) => timeOf(entry) >= keptMs);
	}
}

/** The first look: as many as are shown, and all that the next look will find again. */
async function firstLook({ since, from, backlog }: FollowOptions): Promise<AuditEntry[]> {
	const found: AuditEntry[] = [];
	for await (const entry of since(from)) {
		const isNeeded = from !== undefined || found.length < backlog || timeOf(entry) >= newestOf(found) - OVERLAP_MS;
		if (!isNeeded) break;
		found.push(entry);
	}
	return found;
}

function newestOf(entries: readonly AuditEntry[]): number {
	return Math.max(...entries.map(timeOf));
}
