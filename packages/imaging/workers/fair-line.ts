import { Failure } from "@svc/base/failure";
import type { Clock } from "@svc/base/ports";
import { LaneQueue, type Spent } from "./lane-queue.ts";
import { FOREVER, LANES, ORDER, patientPlaces, roomOf } from "./lanes.ts";
import type { Admitted, Lane, Line, Wish } from "./line.ts";
import { anyone, type May, Seats } from "./seats.ts";
import { Spending } from "./spending.ts";

export interface FairLineOptions {
	/** How many pieces of work run at once: as many as there are workers. */
	readonly places: number;
	/** What all that runs at once may take of memory. */
	readonly bytes: number;
	/** How many cheap requests may wait; of dear ones a quarter of it. */
	readonly waiting: number;
	/** In milliseconds, and never set back. */
	readonly clock: Clock;
	/** Calls `work` once, after so many milliseconds, unless what it returns is called before. */
	readonly after: (ms: number, work: () => void) => () => void;
}

const LONGEST_RETRY_SECONDS = 30;

/** The service's own work counts as that of one network and one App. */
const OWN = { network: "", app: "" };

interface Waiter {
	readonly lane: Lane;
	readonly network: string;
	readonly app: string;
	readonly bytes: number;
	readonly cpuMs: number;
	readonly cameMs: number;
	admit(): void;
	refuse(failure: Failure): void;
}

/**
 * A fair line before the workers. What runs at once has a place each, and together no more memory than there is; only what alone is larger
 * than that runs, alone. In each lane the network that has had least lately is next. Nothing waits for ever: who has waited for
 * too long is refused, and lanes that go behind others get their turn after a while.
 */
export class FairLine implements Line {
	readonly #options: FairLineOptions;
	readonly #queues: Readonly<Record<Lane, LaneQueue<Waiter>>>;
	readonly #spending = new Spending();
	readonly #seats: Seats<Waiter>;
	#alarm: { readonly atMs: number; readonly cancel: () => void } | undefined;
	/** Whether the one before was served out of order, because it was due. */
	#wasDue = false;
	#shed = 0;
	#abandoned = 0;

	constructor(options: FairLineOptions) {
		this.#options = options;
		this.#seats = new Seats(options);
		this.#queues = {
			cheap: new LaneQueue(),
			ingest: new LaneQueue(),
			dear: new LaneQueue(),
			background: new LaneQueue(),
		};
	}

	get running(): number {
		return this.#seats.size;
	}

	get waiting(): number {
		return sum(ORDER.map((lane) => this.waitingIn(lane)));
	}

	waitingIn(lane: Lane): number {
		return this.#queues[lane].size;
	}

	get shed(): number {
		return this.#shed;
	}

	get abandoned(): number {
		return this.#abandoned;
	}

	/** Admitted bytes. */
	get bytes(): number {
		return this.#seats.bytes;
	}

	async run<T>(wish: Wish, work: (admitted: Admitted) => Promise<T>): Promise<T> {
		const seat = await this.#turn(wish);
		try {
			wish.begun?.();
			return await work({ ...wish.price, took: (cpuMs) => wish.took?.(cpuMs) });
		} finally {
			this.#seats.leave(seat);
			this.#serve();
		}
	}

	/** @throws Failure `server_error`, timedOut and with Retry-After; the signal's reason */
	#turn({ lane, price, visitor = OWN, signal }: Wish): Promise<Waiter> {
		if (signal.aborted) {
			this.#abandoned++;
			return Promise.reject(signal.reason);
		}
		const { promise, resolve, reject } = Promise.withResolvers<Waiter>();
		const leave = () => {
			if (!this.#queues[lane].remove(waiter)) return;
			this.#abandoned++;
			reject(signal.reason);
			// What it kept others from may be possible now.
			this.#serve();
		};
		const waiter: Waiter = {
			lane,
			network: visitor.network,
			app: visitor.app,
			bytes: price.bytes,
			cpuMs: price.cpuMs,
			cameMs: this.#options.clock.now(),
			admit() {
				signal.removeEventListener("abort", leave);
				resolve(waiter);
			},
			refuse(failure) {
				signal.removeEventListener("abort", leave);
				reject(failure);
			},
		};
		signal.addEventListener("abort", leave, { once: true });
		this.#queues[lane].add(waiter);
		this.#serve();
		this.#bound(waiter);
		this.#watch();
		return promise;
	}

	/** Who came last may be the one too many. */
	#bound({ lane, network }: Waiter): void {
		const queue = this.#queues[lane];
		if (queue.size <= roomOf(lane, this.#options.waiting)) return;
		const newest = queue.newestOfLargest(network);
		if (newest) this.#refuse(newest);
	}

	#refuse(waiter: Waiter): void {
		const queue = this.#queues[waiter.lane];
		if (!queue.remove(waiter)) return;
		this.#shed++;
		waiter.refuse(tooMuch(waiter.lane, this.#retrySeconds(waiter.lane)));
	}

	/** How long it will take until what stands before is done. */
	#retrySeconds(lane: Lane): number {
		const { places } = this.#options;
		const before = ORDER.slice(0, ORDER.indexOf(lane) + 1);
		const cpuMs = this.#seats.cpuMs + sum(before.map((one) => this.#queues[one].cpuMs));
		const atOnce = LANES[lane].patient ? patientPlaces(places) : places;
		return Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(cpuMs / atOnce / 1_000)));
	}

	/** Refuses who has waited for too long, and looks again when the next one has. */
	#watch(): void {
		const nowMs = this.#options.clock.now();
		let nextMs = FOREVER;
		for (const lane of ORDER) {
			const queue = this.#queues[lane];
			const { waitMs } = LANES[lane];
			for (let { oldest } = queue; oldest; oldest = queue.oldest) {
				if (nowMs < oldest.cameMs + waitMs) {
					nextMs = Math.min(nextMs, oldest.cameMs + waitMs);
					break;
				}
				this.#refuse(oldest);
			}
		}
		this.#wake(nextMs, nowMs);
	}

	#wake(atMs: number, nowMs: number): void {
		if (this.#alarm && this.#alarm.atMs <= atMs) return;
		this.#alarm?.cancel();
		this.#alarm = undefined;
		if (atMs === FOREVER) return;
		const cancel = this.#options.after(atMs - nowMs, () => {
			this.#alarm = undefined;
			this.#watch();
			this.#serve();
		});
		this.#alarm = { atMs, cancel };
	}

	/** Gives places to whose turn it is, while there are any. */
	#serve(): void {
		while (this.#seats.areFree) {
			const next = this.#next();
			if (!next) return;
			this.#queues[next.lane].remove(next);
			this.#seats.take(next);
			this.#spending.charge([`n ${next.network}`, `a ${next.app}`], next.cpuMs, this.#options.clock.now());
			next.admit();
		}
	}

	#next(): Waiter | undefined {
		const nowMs = this.#options.clock.now();
		const due = this.#due(nowMs)
			.map((lane) => this.#candidate(lane, nowMs, anyone))
			.filter((one) => one !== undefined);
		const first = due.find((one) => this.#seats.fits(one));
		if (first && !this.#wasDue) {
			this.#wasDue = true;
			return first;
		}
		const next = this.#inOrder(nowMs, due);
		if (next) this.#wasDue = false;
		return next;
	}

	/** Lanes whose oldest has waited long enough. */
	#due(nowMs: number): readonly Lane[] {
		return ORDER.filter((lane) => {
			const { oldest } = this.#queues[lane];
			return oldest && nowMs - oldest.cameMs >= LANES[lane].dueMs && this.#seats.mayHaveOutOfTurn(lane);
		});
	}

	/** Whoever has less than half of the places goes before whoever has more; the service's own work goes before nobody. */
	#inOrder(nowMs: number, due: readonly Waiter[]): Waiter | undefined {
		const blocked = due.find((one) => !this.#seats.fits(one));
		const modest = this.#seats.modest();
		return this.#firstOf(ORDER.slice(0, -1), nowMs, modest, blocked) ?? this.#firstOf(ORDER, nowMs, anyone, blocked);
	}

	/** What is due and waits for memory is passed by by nothing but cheap work. */
	#firstOf(lanes: readonly Lane[], nowMs: number, may: May, blocked: Waiter | undefined): Waiter | undefined {
		for (const lane of lanes) {
			const candidate = this.#candidate(lane, nowMs, may);
			if (!candidate || !this.#seats.fits(candidate)) continue;
			if (!blocked || this.#seats.mayPass(candidate, blocked)) return candidate;
		}
		return undefined;
	}

	#candidate(lane: Lane, nowMs: number, may: May): Waiter | undefined {
		const queue = this.#queues[lane];
		if (queue.size === 0 || !this.#seats.mayHave(lane)) return undefined;
		const spent: Spent = {
			byNetwork: (network) => this.#spending.of(`n ${network}`, nowMs),
			byApp: (app) => this.#spending.of(`a ${app}`, nowMs),
		};
		return queue.next(spent, may, nowMs);
	}
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, one) => total + one, 0);
}

function tooMuch(lane: Lane, retryAfterSeconds: number): Failure {
	const doing = lane === "ingest" ? "uploaded" : "rendered";
	return new Failure("server_error", undefined, {
		message: `Too much is being ${doing} right now; try again shortly.`,
		timedOut: true,
		retryAfterSeconds,
	});
}
