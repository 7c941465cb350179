import { Failure } from "./failure.ts";
import type { Clock } from "./ports.ts";

export interface GateLimits {
	/** How many pieces of work may run at once. */
	readonly running: number;
	/** How many more may wait in the queue. */
	readonly waiting: number;
	/** How long a caller may wait before it is refused. */
	readonly waitMs: number;
	/** Without it the queue may stay full for any time. */
	readonly shedding?: Shedding;
}

/** Distinguishes a burst, which is let in and ends, from an overload, which has to be refused early. */
interface Shedding {
	/** This many may be there at once, running ones included, and wait for up to `waitMs`: a page requests all its pictures at once. */
	readonly burst: number;
	/** Callers behind them may wait if their expected wait is at most this long. */
	readonly burstMs: number;
	readonly clock: Clock;
}

/** An overload ends after no caller had to be refused for this long. */
const CALM_MS = 1_000;
/** At most so many more pieces of work than were refused have to be done until an overload ends. */
const MOST_PRESSURE = 20;
/** The weight of one piece of work in the average. */
const WEIGHT = 1 / 16;

interface Waiter {
	admit(): void;
}

/**
 * Bounds expensive work: so much at once, so much in the queue, first come first served. Above either bound the caller is refused at
 * once, since an answer that comes after the client gave up costs as much as a useful one.
 *
 * A queue that never empties makes every caller wait for nothing: no more work gets done than without one. But the first of an overload
 * look like a burst, and even a browser or two keep a few in the queue all the time. Only a full queue tells them apart. With `shedding`
 * a queue may fill up, once. From then on no caller waits: one that finds no free place is refused, for as long as more are refused
 * than are served. At ten times the capacity a free place is found within a tenth of the time that it was taken for, so that
 * hardly any work is lost, and an admitted caller is served as fast as the machine can. Where fewer are refused, the queue is worth
 * more than the time it takes.
 */
export class Gate {
	readonly #limits: GateLimits;
	/** A set keeps the order of arrival and lets a waiter in the middle leave for nothing. */
	readonly #line = new Set<Waiter>();
	#running = 0;
	#shed = 0;
	#abandoned = 0;
	/** How long a piece of work takes, as a moving average; 0 before the first one. */
	#averageMs = 0;
	/** How many more were refused than served lately. */
	#pressure = 0;
	#refusedMs = 0;

	constructor(limits: GateLimits) {
		this.#limits = limits;
	}

	get running(): number {
		return this.#running;
	}

	/** Whether a newcomer would have to wait. */
	get isFull(): boolean {
		return this.#running >= this.#limits.running;
	}

	get waiting(): number {
		return this.#line.size;
	}

	/** Refused so far: the queue was full, or the wait too long. */
	get shed(): number {
		return this.#shed;
	}

	/** Callers that left so far before their turn came. */
	get abandoned(): number {
		return this.#abandoned;
	}

	/**
	 * Runs `work` when its turn comes, and holds the place until it settles, whatever happens to `signal` meanwhile: what was
	 * abandoned half-way still uses the processor.
	 * @throws Failure `server_error`, timedOut and with Retry-After, when the bounds are reached; the signal's reason when it aborts before
	 * the turn comes.
	 */
	async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		await this.#enter(signal);
		const startedMs = this.#now();
		try {
			return await work();
		} finally {
			this.#learn(this.#now() - startedMs);
			this.#pressure = Math.max(0, this.#pressure - 1);
			this.#leave();
		}
	}

	#enter(signal: AbortSignal): Promise<void> | undefined {
		if (signal.aborted) {
			this.#abandoned++;
			throw signal.reason;
		}
		if (!this.isFull) {
			this.#running++;
			return undefined;
		}
		if (!this.#hasRoom()) throw this.#refuse();
		return this.#wait(signal);
	}

	#hasRoom(): boolean {
		const { running, waiting, waitMs, shedding } = this.#limits;
		const line = this.#line.size;
		if (line >= waiting) return false;
		if (!shedding) return true;
		if (this.#pressure > 0 && shedding.clock.now() - this.#refusedMs < CALM_MS) return false;
		// This much work is done before the newcomer's turn (Little's law).
		const expectedMs = ((line + 1) * this.#averageMs) / running;
		return expectedMs <= (running + line < shedding.burst ? waitMs : shedding.burstMs);
	}

	#now(): number {
		return this.#limits.shedding?.clock.now() ?? 0;
	}

	#learn(tookMs: number): void {
		this.#averageMs = this.#averageMs === 0 ? tookMs : this.#averageMs + (tookMs - this.#averageMs) * WEIGHT;
	}

	#wait(signal: AbortSignal): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const leave = () => {
			this.#line.delete(waiter);
			clearTimeout(timer);
			signal.removeEventListener("abort", onAbort);
		};
		const onAbort = () => {
			leave();
			this.#abandoned++;
			reject(signal.reason);
		};
		const timer = setTimeout(() => {
			leave();
			reject(this.#refuse());
		}, this.#limits.waitMs);
		const waiter: Waiter = {
			admit: () => {
				leave();
				resolve();
			},
		};
		signal.addEventListener("abort", onAbort);
		this.#line.add(waiter);
		return promise;
	}

	/** The place is handed over rather than freed, so that a newcomer cannot overtake the first in the queue. */
	#leave(): void {
		const [first] = this.#line;
		if (first) first.admit();
		else this.#running--;
	}

	#refuse(): Failure {
		this.#shed++;
		const nowMs = this.#now();
		const before = nowMs - this.#refusedMs < CALM_MS ? this.#pressure : 0;
		this.#pressure = Math.min(MOST_PRESSURE, before + 1);
		this.#refusedMs = nowMs;
		return new Failure("server_error", undefined, {
			message: "Too much is being rendered right now; try again shortly.",
			timedOut: true,
			retryAfterSeconds: 1,
		});
	}
}
