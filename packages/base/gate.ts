import { Failure } from "./failure.ts";
import type { Clock } from "./ports.ts";

export interface GateLimits {
	/** How many pieces of work may run at once. */
	readonly running: number;
	/** How many more may wait for their turn. */
	readonly waiting: number;
	/** How long one may wait before it is turned away. */
	readonly waitMs: number;
	/** Without it the line may stay as long as it likes. */
	readonly shedding?: Shedding;
}

/** Tells a burst, which is let in and ends, from an overload, which has to be turned away early. */
interface Shedding {
	/** This many may be there at once, what runs included, and wait as long as `waitMs` allows: a page asks for all its pictures. */
	readonly burst: number;
	/** Those behind them may wait when they can expect it to be no longer than this. */
	readonly burstMs: number;
	readonly clock: Clock;
}

/** After nobody had to be turned away for this long, an overload is over. */
const CALM_MS = 1_000;
/** So many more pieces of work than were turned away have to be done at most, until it is over. */
const MOST_PRESSURE = 20;
/** One piece of work counts for this share of the average. */
const WEIGHT = 1 / 16;

interface Waiter {
	admit(): void;
}

/**
 * Bounds expensive work: so much at once, so much in line, first come first served. Past either bound the caller is turned away at
 * once, since an answer that comes after the client gave up costs as much as a useful one.
 *
 * A line that never empties makes everybody wait for nothing: no more work gets done than without one. But the first of an overload
 * look like a burst, and even a browser or two keep a few in line all the time. Only a full line tells them apart. So with `shedding`
 * a line may fill up, once. From then on nobody waits: whoever finds no free place is turned away, for as long as more are turned away
 * than are served. Under ten times what can be done a free place is found within a tenth of the time that it was taken for, so that
 * hardly any work is lost, and whoever is let in is served as fast as the machine can. Where fewer are turned away, the line is worth
 * more than the time it takes.
 */
export class Gate {
	readonly #limits: GateLimits;
	/** A set keeps the order of arrival and lets a waiter in the middle leave for nothing. */
	readonly #line = new Set<Waiter>();
	#running = 0;
	#shed = 0;
	#abandoned = 0;
	/** How long a piece of work takes, as a moving average; nothing is known of the first. */
	#averageMs = 0;
	/** How many more were turned away than served lately. */
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

	/** Turned away so far: the line was full, or the wait too long. */
	get shed(): number {
		return this.#shed;
	}

	/** Left so far, before their turn came. */
	get abandoned(): number {
		return this.#abandoned;
	}

	/**
	 * Runs `work` when its turn comes, and holds the place until it settles, whatever happens to `signal` meanwhile: what was
	 * abandoned half-way still uses the processor.
	 * @throws Failure `server_error`, timedOut and with Retry-After, when there is no room; the signal's reason when it aborts before
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
		// So much work is done between now and the newcomer's turn (Little's law).
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

	/** The place is handed over rather than freed, so that a newcomer cannot slip in before the first in line. */
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
