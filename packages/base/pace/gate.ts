import { Failure } from "../failure.ts";

export interface GateLimits {
	/** How many pieces of work may run at once. */
	readonly running: number;
	/** How many more may wait in the queue. */
	readonly waiting: number;
	/** How long a caller may wait before it is refused. */
	readonly waitMs: number;
}

interface Waiter {
	admit(): void;
}

/**
 * Bounds expensive work: so much at once, so much in the queue, first come first served. Above either bound the caller is refused at
 * once, since an answer that comes after the client gave up costs as much as a useful one.
 */
export class Gate {
	readonly #limits: GateLimits;
	/** A set keeps the order of arrival and lets a waiter in the middle leave for nothing. */
	readonly #line = new Set<Waiter>();
	#running = 0;
	#shed = 0;
	#abandoned = 0;

	constructor(limits: GateLimits) {
		this.#limits = limits;
	}

	get running(): number {
		return this.#running;
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
		try {
			return await work();
		} finally {
			this.#leave();
		}
	}

	#enter(signal: AbortSignal): Promise<void> | undefined {
		if (signal.aborted) {
			this.#abandoned++;
			throw signal.reason;
		}
		if (this.#running < this.#limits.running) {
			this.#running++;
			return undefined;
		}
		if (this.#line.size >= this.#limits.waiting) throw this.#refuse();
		return this.#wait(signal);
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
		return new Failure("server_error", undefined, {
			message: "Too much is being rendered right now; try again shortly.",
			timedOut: true,
			retryAfterSeconds: 1,
		});
	}
}
