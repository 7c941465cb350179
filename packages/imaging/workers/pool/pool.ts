import { Failure } from "@svc/base/failure";
import type { Log, LogFacts, Meters } from "@svc/base/ports";
import { laneOf } from "../../render/render-price.ts";
import { errorOf, type FailedJob, type Loss, WorkerLost } from "../failures.ts";
import { LANES, type Line, type Wish } from "../line.ts";
import type { Order, OrderKind, Outcome, Work } from "../orders.ts";
import type { Price } from "../price.ts";
import { type Answered, type Child, type EndReason, startChild } from "./child.ts";
import { Slot } from "./slot.ts";
import { Starts } from "./starts.ts";
import { type Limits, Watch } from "./watch.ts";

export interface PoolOptions {
	/** At least 1. */
	readonly workers: number;
	readonly line: Line;
	readonly limits: Limits;
	/** Whether the workers of dear work let others go first: there are more of them than cores. */
	readonly yielding?: boolean;
	/** After how long without an order a worker's memory is given back; another time in tests only. */
	readonly restMs?: number;
	/** Another program in tests only. */
	readonly program?: string;
}

/** Workers as their customers see them. */
export interface Workers {
	/**
	 * Has one order done when its turn comes. An order whose worker is lost is tried once more in another one.
	 * @throws WorkerLost when that is lost as well; processor time is not given twice. What the work throws, as a Failure or a WorkerError. What
	 * the line throws. The signal's reason when it aborts before the order's turn comes, or in the middle of dear work, which is ended.
	 */
	do<K extends OrderKind>(order: Order<K>, wish: Wish): Promise<Work[K]["answer"]>;
}

export interface Pool extends Workers {
	readonly line: Line;
	/** Starts the workers ahead of their first orders, and again whenever one is lost. */
	start(): void;
	/** Ends all workers; what they work on is lost. */
	close(): void;
	/** Tells of the workers, and what they have to say, until the function that is returned is called. */
	attach(to: Audience): () => void;
	readonly pids: readonly number[];
}

interface Audience {
	readonly meters: Pick<Meters, "count" | "gauge">;
	readonly log: Pick<Log, "warn">;
}

/** How one try at an order ended, in which process. */
type Try = Pick<FailedJob, "worker"> & ({ readonly outcome: Outcome } | { readonly lost: Loss });

interface Tried {
	readonly outcome: Outcome;
	readonly job: FailedJob;
}

/** The limits on time of one job: a machine that is busy with others must not be what ends it. */
export const TIME_LIMITS = { cpuMs: 20_000, wallMs: 60_000, stuckMs: 10_000 } as const;

/** As long as an order that has been admitted waits for a worker that can be started. */
const NO_WORKER_MS = 10_000;
const MOST_TRIES = 2;
/** Once a header may ask for more than was admitted, and once more what turns out to have no smaller form to be decoded in. */
const MOST_DEARER = 2;
const NICE = 10;

export function openPool(options: PoolOptions): Pool {
	return new ProcessPool(options);
}

class ProcessPool implements Pool {
	readonly line: Line;
	readonly #options: PoolOptions;
	readonly #watch: Watch;
	readonly #audience = new Set<Audience>();
	readonly #slots: readonly Slot[];
	/** Resolves when a slot may be taken. */
	#freed = Promise.withResolvers<void>();

	constructor(options: PoolOptions) {
		this.line = options.line;
		this.#options = options;
		this.#watch = new Watch(options.limits);
		const starts = new Starts();
		const { workers, restMs, program, yielding = false } = options;
		this.#slots = Array.from({ length: workers }, (_, index) => {
			const start = () => startChild({ nice: yielding && index > 0 ? NICE : 0, program });
			const freed = () => this.#ring();
			const lost = (reason: EndReason, why: string) => this.#tell(reason, why);
			const failed = (cause: unknown) => this.#warn("the end of a worker could not be dealt with", { cause });
			return new Slot({ index, starts, start, restMs, freed, lost, failed });
		});
	}

	async do<K extends OrderKind>(order: Order<K>, wish: Wish): Promise<Work[K]["answer"]> {
		const run = (one: Wish) => this.line.run(one, () => this.#tried(order as Order, one));
		let { outcome, job } = await run(wish);
		for (let times = 0; outcome.kind === "dearer" && times < MOST_DEARER; times++) {
			const { price } = outcome;
			({ outcome, job } = await run({ ...wish, price, lane: wish.lane === "cheap" ? laneOf(price) : wish.lane }));
		}
		if (outcome.kind === "done") return outcome.answer as never;
		throw outcome.kind === "dearer" ? new Error("a header asks for more each time it is read") : errorOf(outcome, job);
	}

	start(): void {
		for (const slot of this.#slots) slot.keep();
	}

	close(): void {
		for (const slot of this.#slots) slot.close();
	}

	attach(to: Audience): () => void {
		const { meters } = to;
		const slots = this.#slots;
		this.#audience.add(to);
		meters.gauge("svc_workers", () => slots.filter((slot) => slot.isStarted).length);
		meters.gauge("svc_workers_busy", () => slots.filter((slot) => slot.isTaken).length);
		meters.gauge("svc_workers_resident_memory_bytes", () => slots.reduce((sum, slot) => sum + slot.rssBytes, 0));
		return () => this.#audience.delete(to);
	}

	get pids(): readonly number[] {
		return this.#slots.map((slot) => slot.pid).filter((pid) => pid !== undefined);
	}

	#warn(message: string, facts: LogFacts): void {
		for (const { log } of this.#audience) log.warn(message, facts);
	}

	#tell(reason: EndReason, why: string): void {
		for (const { meters } of this.#audience) meters.count("svc_worker_deaths_total", { reason });
		if (reason === "start") this.#warn("a worker could not be started; it is tried again", { why });
	}

	#ring(): void {
		this.#freed.resolve();
		this.#freed = Promise.withResolvers();
	}

	/** The first worker is kept for what is quick. */
	#findFree(wish: Wish): Slot | undefined {
		const isKept = isDear(wish) && this.#slots.length > 1;
		const able = this.#slots.filter((slot) => slot.isFree && !(isKept && slot.index === 0));
		return (this.#options.yielding ? undefined : able.find((slot) => slot.isStarted)) ?? able[0];
	}

	/** @throws Failure `server_error` and timedOut when none can be taken for too long */
	async #take(wish: Wish): Promise<Slot> {
		const late = Promise.withResolvers<never>();
		let timer: ReturnType<typeof setTimeout> | undefined;
		try {
			for (;;) {
				const slot = this.#findFree(wish);
				slot?.take();
				if (slot) return slot;
				timer ??= setTimeout(() => late.reject(noWorker()), NO_WORKER_MS);
				await Promise.race([this.#freed.promise, late.promise]);
			}
		} finally {
			clearTimeout(timer);
		}
	}

	async #tried(order: Order, wish: Wish): Promise<Tried> {
		// Errors hand it on, and prices of some orders are shared.
		const price = { ...wish.price };
		for (let deaths = 1; ; deaths++) {
			const { worker, ...ending } = await this.#attempt(order, wish);
			const job = { worker, price };
			if ("outcome" in ending) return { outcome: ending.outcome, job };
			if (deaths === MOST_TRIES || ending.lost === "cpu") throw new WorkerLost(ending.lost, deaths, job);
		}
	}

	async #attempt(order: Order, wish: Wish): Promise<Try> {
		const slot = await this.#take(wish);
		try {
			wish.signal.throwIfAborted();
			const child = await slot.started();
			if (!child) return { worker: undefined, lost: "start" };
			return { worker: child.pid, ...(await this.#worked(child, slot, order, wish)) };
		} finally {
			slot.release();
		}
	}

	async #worked(
		child: Child,
		slot: Slot,
		order: Order,
		wish: Wish,
	): Promise<{ readonly outcome: Outcome } | { readonly lost: Loss }> {
		const { price: admitted } = wish;
		const wake = this.#restOthers(slot, admitted);
		const leave = this.#watch.over({ usage: child.usage, admitted, overrun: child.kill });
		const stay = abandoned(wish, child);
		try {
			const answer = await child.ask({ order, admitted });
			wish.took?.(answer?.cpuMs ?? leave());
			if (answer) return { outcome: this.#heard(answer, slot) };
			wish.signal.throwIfAborted();
			const { reason } = await child.ended;
			return { lost: reason === "idle" || reason === "abandoned" ? "crash" : reason };
		} finally {
			leave();
			stay();
			wake();
		}
	}

	/** What takes more than there is for all has been admitted alone, and needs what the other workers rest on. */
	#restOthers(slot: Slot, { bytes }: Price): () => void {
		const isAlone = bytes > this.#options.limits.memoryBytes;
		const others = isAlone ? this.#slots.filter((other) => other !== slot) : [];
		for (const other of others) other.rest();
		return () => {
			for (const other of others) other.wake();
		};
	}

	#heard({ outcome, last, notes }: Answered, slot: Slot): Outcome {
		slot.worked(last);
		for (const { message, facts } of notes) this.#warn(message, facts);
		return outcome;
	}
}

/** Ends dear work when nobody waits for it any more, until the function that is returned is called. */
function abandoned(wish: Wish, child: Child): () => void {
	const abandon = () => child.kill("abandoned");
	if (isDear(wish)) wish.signal.addEventListener("abort", abandon);
	return () => wish.signal.removeEventListener("abort", abandon);
}

function isDear({ lane }: Wish): boolean {
	return LANES[lane].patient;
}

function noWorker(): Failure {
	return new Failure("server_error", undefined, {
		message: "No picture can be worked on right now; try again shortly.",
		timedOut: true,
		retryAfterSeconds: 5,
	});
}
