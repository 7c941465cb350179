import { Gate } from "@svc/base/gate";
import type { Price } from "./price.ts";

/**
 * How soon a piece of work is due: `cheap` are thumbnails and all that comes from a smaller copy, `ingest` is what an upload waits for, `dear`
 * are all other renditions, and for `background` no request waits.
 */
export type Lane = "cheap" | "ingest" | "dear" | "background";

/** Whom a piece of work is for. */
interface Visitor {
	/** The part of an address that counts as one client. */
	readonly network: string;
	readonly app: string;
}

/** A piece of work that is to be done. */
export interface Wish {
	readonly lane: Lane;
	readonly price: Price;
	/** Undefined for the service's own work. */
	readonly visitor?: Visitor | undefined;
	/** Aborted when nothing waits for the result any more. */
	readonly signal: AbortSignal;
	/** Told what processor time it really took, in milliseconds; also when it failed. */
	readonly took?: ((cpuMs: number) => void) | undefined;
}

/** A piece of work whose turn has come, and what it may take. */
export interface Admitted extends Price {
	/** Says what processor time it really took, in milliseconds; also when it failed. */
	took(cpuMs: number): void;
}

/** Decides what the workers do next. */
export interface Line {
	/**
	 * Runs `work` when its turn comes, and holds its place and its bytes until it settles. At most as many run at once as there are workers, and of
	 * lanes `dear` and `background` one fewer, where there is more than one.
	 * @throws Failure `server_error`, timedOut and with Retry-After, when there is no room; the signal's reason when it aborts before the turn comes
	 */
	run<T>(wish: Wish, work: (admitted: Admitted) => Promise<T>): Promise<T>;
	readonly running: number;
	readonly waiting: number;
}

const WAITING = 1_000;
const WAIT_MS = 60_000;

/** First come, first served. */
export function firstComeLine(workers: number): Line {
	const places = new Gate({ running: workers, waiting: WAITING, waitMs: WAIT_MS });
	const patient = new Gate({ running: Math.max(1, workers - 1), waiting: WAITING, waitMs: WAIT_MS });
	return {
		run({ lane, price, signal }, work) {
			const admitted: Admitted = { ...price, took: () => undefined };
			const inPlace = () => places.run(signal, () => work(admitted));
			return lane === "dear" || lane === "background" ? patient.run(signal, inPlace) : inPlace();
		},
		get running() {
			return places.running;
		},
		get waiting() {
			return places.waiting + patient.waiting;
		},
	};
}
