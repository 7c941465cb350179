import type { Visitor } from "@svc/images/ports";
import type { Price } from "./price.ts";

/**
 * How soon a piece of work is due: `cheap` are thumbnails and all that comes from a smaller copy, `ingest` is what an upload waits for, `dear`
 * are all other renditions, and for `background` no request waits.
 */
export type Lane = "cheap" | "ingest" | "dear" | "background";

/** A piece of work that is to be done. */
export interface Wish {
	readonly lane: Lane;
	readonly price: Price;
	/** Undefined for the service's own work. */
	readonly visitor?: Visitor | undefined;
	/** Aborted when nothing waits for the result any more. */
	readonly signal: AbortSignal;
	/** Called when its turn has come. */
	readonly begun?: (() => void) | undefined;
	/** Told what processor time it really took, in milliseconds; also when it failed. */
	readonly took?: ((cpuMs: number) => void) | undefined;
}

/** Decides what the workers do next. */
export interface Line {
	/**
	 * Runs `work` when its turn comes, and holds its place and its bytes until it settles. At most as many run at once as there are workers, and of
	 * lanes `dear` and `background` one fewer, where there is more than one.
	 * @throws Failure `server_error`, timedOut and with Retry-After, when there is no room; the signal's reason when it aborts before the turn comes
	 */
	run<T>(wish: Wish, work: () => Promise<T>): Promise<T>;
	readonly running: number;
	readonly waiting: number;
	waitingIn(lane: Lane): number;
	/** Refused so far: too many waited, or one for too long. */
	readonly shed: number;
	/** Clients that left so far before their turn came. */
	readonly abandoned: number;
}

interface LaneRules {
	/** How many may wait, for each cheap request that may. */
	readonly share: number;
	/** How many may wait at least. */
	readonly least: number;
	/** Who has waited for this long is refused. */
	readonly waitMs: number;
	/** Who has waited for this long goes before the other lanes, every other time. */
	readonly dueMs: number;
	/** Leaves one place to the others, where there is more than one. */
	readonly patient: boolean;
}

export const FOREVER = Number.POSITIVE_INFINITY;

/** In the order in which they are served. */
export const LANES: Readonly<Record<Lane, LaneRules>> = {
	cheap: { share: 1, least: 0, waitMs: 10_000, dueMs: FOREVER, patient: false },
	// Uploads wait on the disk, so a long line costs no memory; the bounds keep it from growing for ever. Fewer would refuse uploads where hardly
	// any rendition may wait.
	ingest: { share: 4, least: 1_000, waitMs: 60_000, dueMs: 2_000, patient: false },
	dear: { share: 1 / 4, least: 0, waitMs: 30_000, dueMs: 5_000, patient: true },
	// The service's own work bounds itself, and nobody waits for it.
	background: { share: 1, least: FOREVER, waitMs: FOREVER, dueMs: 10_000, patient: true },
};
export const ORDER = Object.keys(LANES) as readonly Lane[];
