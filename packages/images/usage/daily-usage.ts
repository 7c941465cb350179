import { DatabaseError } from "@svc/base/database-error";
import type { Clock } from "@svc/base/ports";

/** What is counted of a storage on a day besides its uploads. */
export interface Served {
	/** Calls of the API about it, by callers who are known. */
	requests: number;
	/** Answers of the transform host with its images. */
	imageRequests: number;
	bytesServed: number;
	/** Made, not found in the cache. */
	renditions: number;
}

/** A line of the daily usage; of a day, or of a storage. */
export interface UsageRow extends Served {
	/** Orders the lines, the first with the largest. */
	readonly pk: number;
	/** Days since 1970; null where the line is about a storage. */
	readonly day: number | null;
	/** Null: the App storage, or no single one. */
	readonly userId: string | null;
	uploads: number;
}

/** Days since 1970, UTC; `to` is not included. */
export interface Days {
	readonly from: number;
	readonly to: number;
}

const DAY_MS = 86_400_000;
/** Storages of one write. */
const WRITTEN_AT_ONCE = 1_000;

type Add = (day: number, counts: readonly (readonly [storagePk: number, served: Served])[]) => Promise<void>;

/** Day on which a time lies, in days since 1970, UTC. */
export function dayOf(atMs: number): number {
	return Math.floor(atMs / DAY_MS);
}

/** A day as `2026-11-22`. */
export function dayText(day: number): string {
	return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The opposite of {@link dayText}; undefined for what is no date. */
export function parseDay(text: string): number | undefined {
	const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
	if (Number.isNaN(atMs)) return undefined;
	// Some take the 31st of a month that has none for a day of the next.
	return dayText(dayOf(atMs)) === text ? dayOf(atMs) : undefined;
}

/**
 * What this process has served, by storage. To count costs a look-up in a map; the sums are added to the database's by {@link flush}. What
 * a process had not written when it died is lost.
 */
export class DailyCounters {
	readonly #clock: Clock;
	readonly #add: Add;
	#day = 0;
	#counts = new Map<number, Served>();
	/** Days that are over, and what could not be written. */
	#due: (readonly [day: number, counts: Map<number, Served>])[] = [];
	#writing: Promise<void> = Promise.resolve();

	constructor(clock: Clock, add: Add) {
		this.#clock = clock;
		this.#add = add;
	}

	/** A call of the API by a caller who is known. */
	countRequest(storagePk: number): void {
		this.#of(storagePk).requests++;
	}

	/** An answer of the transform host. */
	countServed(storagePk: number, bytes: number): void {
		const counts = this.#of(storagePk);
		counts.imageRequests++;
		counts.bytesServed += bytes;
	}

	countRendition(storagePk: number): void {
		this.#of(storagePk).renditions++;
	}

	/**
	 * Adds to the database what was counted. What surely was not written is kept for the next time; where only the answer was lost, it is
	 * counted as written: nobody must be shown more than was served.
	 * @throws DatabaseError of the first write that failed
	 */
	async flush(): Promise<void> {
		const before = this.#writing;
		const writing = before.catch(() => undefined).then(() => this.#write());
		this.#writing = writing;
		await writing;
	}

	#of(storagePk: number): Served {
		const day = dayOf(this.#clock.now());
		if (day !== this.#day) this.#close(day);
		let counts = this.#counts.get(storagePk);
		if (counts === undefined) {
			counts = { requests: 0, imageRequests: 0, bytesServed: 0, renditions: 0 };
			this.#counts.set(storagePk, counts);
		}
		return counts;
	}

	#close(day: number): void {
		if (this.#counts.size > 0) this.#due.push([this.#day, this.#counts]);
		this.#day = day;
		this.#counts = new Map();
	}

	async #write(): Promise<void> {
		this.#close(this.#day);
		const due = this.#due;
		this.#due = [];
		let failure: unknown;
		for (const [day, counts] of due) {
			const all = [...counts];
			for (let at = 0; at < all.length; at += WRITTEN_AT_ONCE) {
				const some = all.slice(at, at + WRITTEN_AT_ONCE);
				await this.#add(day, some).catch((cause: unknown) => {
					failure ??= cause;
					const isUnknown = cause instanceof DatabaseError && cause.written === "unknown";
					if (!isUnknown) this.#due.push([day, new Map(some)]);
				});
			}
		}
		if (failure !== undefined) throw failure;
	}
}
