import { Failure } from "@svc/base/failure";
import type { Log, Meters } from "@svc/base/ports";
import { laneOf } from "../../render/render-price.ts";
import { errorOf, type Job, type Loss, WorkerLost } from "../failures.ts";
import type { Admitted, Line, Wish } from "../line.ts";
import type { Kind, Order, Outcome, Work } from "../orders.ts";
import { type Answered, type Child, startChild } from "./child.ts";
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
	do<K extends Kind>(order: Order<K>, wish: Wish): Promise<Work[K]["answer"]>;
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

/** How one try at an order ended. */
type Ending = { readonly kind: "ended"; readonly outcome: Outcome } | { readonly kind: "lost"; readonly reason: Loss };

type Try = Ending & Pick<Job, "worker">;

interface Tried {
	readonly outcome: Outcome;
	readonly job: Job;
}

/** The limits on time of one job: a machine that is busy with others must not be what ends it. */
export const TIME_LIMITS = { cpuMs: 20_000, wallMs: 60_000, stuckMs: 10_000 } as const;

/** As long as an order that has been admitted waits for a worker that can be started. */
const NO_WORKER_MS = 10_000;
const MOST_TRIES = 2;

export function openPool({ workers, line, limits, yielding = false, restMs, program }: PoolOptions): Pool {
	const watch = new Watch(limits);
	const starts = new Starts();
	const audience = new Set<Audience>();
	const waiting: { readonly wish: Wish; readonly take: (slot: Slot) => void }[] = [];
	const slots = Array.from({ length: workers }, (_, index) => {
		const nice = yielding && index > 0 ? NICE : 0;
		const start = () => startChild({ nice, program });
		return new Slot({ index, starts, start, restMs, freed: serve, lost: told, failed });
	});

	function told(reason: Loss | "idle" | "abandoned", why: string): void {
		for (const { meters, log } of audience) {
			meters.count("svc_worker_deaths_total", { reason });
			if (reason === "start") log.warn("a worker could not be started; it is tried again", { why });
		}
	}

	function failed(cause: unknown): void {
		for (const { log } of audience) log.warn("the end of a worker could not be dealt with", { cause });
	}

	/** The first worker is kept for what is quick. */
	function free({ lane }: Wish): Slot | undefined {
		const patient = (lane === "dear" || lane === "background") && slots.length > 1;
		const able = slots.filter((slot) => slot.isFree && !(patient && slot.index === 0));
		return (yielding ? undefined : able.find((slot) => slot.isStarted)) ?? able[0];
	}

	function serve(): void {
		for (const waiter of [...waiting]) {
			const slot = free(waiter.wish);
			if (!slot) continue;
			waiting.splice(waiting.indexOf(waiter), 1);
			slot.take();
			waiter.take(slot);
		}
	}

	async function acquire(wish: Wish): Promise<Slot> {
		const slot = waiting.length === 0 ? free(wish) : undefined;
		slot?.take();
		return slot ?? (await nextFree(wish));
	}

	function nextFree(wish: Wish): Promise<Slot> {
		const { promise, resolve, reject } = Promise.withResolvers<Slot>();
		const waiter = { wish, take: resolve };
		waiting.push(waiter);
		serve();
		const timer = setTimeout(() => {
			waiting.splice(waiting.indexOf(waiter), 1);
			reject(noWorker());
		}, NO_WORKER_MS);
		return promise.finally(() => clearTimeout(timer));
	}

	async function attempt(order: Order, wish: Wish, admitted: Admitted): Promise<Try> {
		const slot = await acquire(wish);
		try {
			wish.signal.throwIfAborted();
			const child = await slot.started();
			const worker = child?.pid;
			if (!child) return { kind: "lost", reason: "start", worker };
			return { ...(await worked(child, slot, order, wish, admitted)), worker };
		} finally {
			slot.release();
		}
	}

	async function worked(child: Child, slot: Slot, order: Order, wish: Wish, admitted: Admitted): Promise<Ending> {
		let reason: Loss = "crash";
		const overrun = (why: Loss) => {
			reason = why;
			slot.end(why);
		};
		const wake = restOthers(slot, admitted);
		const leave = watch.over({ usage: child.usage, admitted, overrun });
		const stay = abandoned(wish, slot);
		try {
			const answer = await child.ask({ order, admitted: { bytes: admitted.bytes, cpuMs: admitted.cpuMs } });
			admitted.took(answer?.cpuMs ?? leave());
			if (answer) return { kind: "ended", outcome: heard(answer, slot) };
			wish.signal.throwIfAborted();
			return { kind: "lost", reason };
		} finally {
			leave();
			stay();
			wake();
		}
	}

	/** What takes more than there is for all has been admitted alone, and needs what the other workers rest on. */
	function restOthers(slot: Slot, { bytes }: Admitted): () => void {
		const others = bytes > limits.memoryBytes ? slots.filter((other) => other !== slot) : [];
		for (const other of others) other.rest();
		return () => {
			for (const other of others) other.wake();
		};
	}

	function heard({ outcome, last, notes }: Answered, slot: Slot): Outcome {
		slot.worked(last);
		for (const { message, facts } of notes) {
			for (const { log } of audience) log.warn(message, facts);
		}
		return outcome;
	}

	async function tried(order: Order, wish: Wish, admitted: Admitted): Promise<Tried> {
		const price = { bytes: admitted.bytes, cpuMs: admitted.cpuMs };
		for (let deaths = 1; ; deaths++) {
			const { worker, ...result } = await attempt(order, wish, admitted);
			if (result.kind === "ended") return { outcome: result.outcome, job: { worker, price } };
			if (deaths === MOST_TRIES || result.reason === "cpu")
				throw new WorkerLost(result.reason, deaths, { worker, price });
		}
	}

	return {
		line,
		async do(order, wish) {
			let { outcome, job } = await line.run(wish, (admitted) => tried(order as Order, wish, admitted));
			if (outcome.kind === "dearer") {
				const dearer: Wish = {
					...wish,
					price: outcome.price,
					lane: wish.lane === "cheap" ? laneOf(outcome.price) : wish.lane,
				};
				({ outcome, job } = await line.run(dearer, (admitted) => tried(order as Order, dearer, admitted)));
			}
			if (outcome.kind === "done") return outcome.answer as never;
			throw outcome.kind === "dearer"
				? new Error("a header asks for more each time it is read")
				: errorOf(outcome, job);
		},
		start() {
			for (const slot of slots) slot.keep();
		},
		close() {
			for (const slot of slots) slot.close();
		},
		attach(to) {
			const { meters } = to;
			audience.add(to);
			meters.gauge("svc_workers", () => slots.filter((slot) => slot.isStarted).length);
			meters.gauge("svc_workers_busy", () => slots.filter((slot) => slot.isTaken).length);
			meters.gauge("svc_workers_resident_memory_bytes", () => slots.reduce((sum, slot) => sum + slot.rssBytes, 0));
			return () => audience.delete(to);
		},
		get pids() {
			return slots.map((slot) => slot.pid).filter((pid) => pid !== undefined);
		},
	};
}

const NICE = 10;

/** Ends dear work when nobody waits for it any more, until the function that is returned is called. */
function abandoned(wish: Wish, slot: Slot): () => void {
	const abandon = () => slot.end("abandoned");
	if (isDear(wish)) wish.signal.addEventListener("abort", abandon);
	return () => wish.signal.removeEventListener("abort", abandon);
}

function isDear({ lane }: Wish): boolean {
	return lane === "dear" || lane === "background";
}

function noWorker(): Failure {
	return new Failure("server_error", undefined, {
		message: "No picture can be worked on right now; try again shortly.",
		timedOut: true,
		retryAfterSeconds: 5,
	});
}
