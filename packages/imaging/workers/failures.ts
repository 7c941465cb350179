import { Failure } from "@svc/base/failure";
import type { ErrorSent, Outcome } from "./orders.ts";
import type { Price } from "./price.ts";

/** The header of a file says that the work takes more than was admitted. Thrown in a worker, before anything is done. */
export class Dearer extends Error {
	override readonly name = "Dearer";
	readonly price: Price;

	constructor(price: Price) {
		super(`takes ${price.bytes} bytes`);
		this.price = price;
	}
}

/** A master has other bytes than it should, or none that can be read. Thrown in a worker before anything is made of it, and to the caller of the order. */
export class Damaged extends Error {
	override readonly name = "Damaged";
	readonly path: string;

	constructor(path: string) {
		super("a stored image is not what was stored");
		this.path = path;
	}
}

/**
 * Why a worker was lost: it could not be started, it ended by itself or by somebody's hand, its job took more processor time, memory or time than
 * it may, or it did not use the processor at all any more.
 */
export type Loss = "start" | "crash" | "cpu" | "memory" | "stuck" | "wall";

/** For the log. */
export interface FailedJob {
	/** Its process. */
	readonly worker: number | undefined;
	/** What the job was expected to take. */
	readonly price: Price;
}

/** An order that cost so many workers their life; there is no answer. */
export class WorkerLost extends Error {
	override readonly name = "WorkerLost";
	readonly reason: Loss;
	readonly deaths: number;
	readonly worker: number | undefined;
	readonly price: Price | undefined;

	constructor(reason: Loss, deaths: number, job?: FailedJob) {
		super(`a worker was lost (${reason}), ${deaths === 1 ? "once" : `${deaths} times`}`);
		this.reason = reason;
		this.deaths = deaths;
		this.worker = job?.worker;
		this.price = job?.price;
	}
}

/** An error that a worker threw and survived. The message and the name are those of the error there: what a decoder said, or the system. */
export class WorkerError extends Error {
	override readonly name: string;
	readonly code: string | undefined;
	readonly worker: number | undefined;
	readonly price: Price | undefined;

	constructor({ name, message, stack, code, cause }: ErrorSent, job?: FailedJob) {
		super(message, cause && { cause: new WorkerError(cause) });
		this.name = name;
		this.code = code;
		this.worker = job?.worker;
		this.price = job?.price;
		if (stack !== undefined) this.stack = stack;
	}
}

/** How an order ended that has thrown. */
export function outcomeOf(error: unknown): Outcome {
	if (error instanceof Dearer) return { kind: "dearer", price: error.price };
	if (error instanceof Damaged) return { kind: "damaged", path: error.path };
	if (!(error instanceof Failure)) return { kind: "failed", error: sentError(error) };
	const { code, message, details, timedOut, retryAfterSeconds, cause } = error;
	const sent = cause === undefined ? undefined : sentError(cause);
	return { kind: "refused", code, message, details, timedOut, retryAfterSeconds, cause: sent };
}

/** The error that an order's caller gets, as it was thrown in the worker. */
export function errorOf(outcome: Extract<Outcome, { kind: "refused" | "failed" | "damaged" }>, job: FailedJob): Error {
	if (outcome.kind === "damaged") return new Damaged(outcome.path);
	if (outcome.kind === "failed") return new WorkerError(outcome.error, job);
	const { code, message, details, timedOut, retryAfterSeconds, cause } = outcome;
	return new Failure(code, details, {
		message,
		timedOut,
		...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
		...(cause && { cause: new WorkerError(cause) }),
	});
}

/** More than this no chain of causes needs. */
const MOST_CAUSES = 5;

function sentError(error: unknown, depth = 0): ErrorSent {
	if (!(error instanceof Error)) return { name: "Error", message: String(error) };
	const { name, message, stack, cause } = error;
	const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
	const because = cause !== undefined && depth < MOST_CAUSES ? sentError(cause, depth + 1) : undefined;
	return { name, message, stack, code, cause: because };
}
