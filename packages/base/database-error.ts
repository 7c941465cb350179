import { Failure, type FailureCode } from "./failure.ts";

/**
 * What the database refused or could not do. The message holds the driver's code and nothing else: SQL and values stay out of
 * it, since it may be logged or shown. The driver's own error is the cause.
 */
export class DatabaseError extends Error {
	override readonly name = "DatabaseError";
	/** The driver's code, as `SQLITE_FULL`, or `UNKNOWN` for an answer that never came. */
	readonly code: string;
	/** Whether the change may have been committed anyway: `unknown` when only the answer was lost. */
	readonly written: "no" | "unknown";
	/** What an unknown outcome turns out to be, as soon as the database says so. Never rejects. */
	readonly settled: Promise<Settled>;

	constructor(
		code: string,
		written: "no" | "unknown",
		cause: unknown,
		settled: Promise<Settled> = Promise.resolve(written === "no" ? "never" : undefined),
	) {
		super(`The database did not do it (${code}).`, { cause });
		this.code = code;
		this.written = written;
		this.settled = settled;
	}

	/** True where the database could not be reached, or was locked by another process, and the same may succeed soon. */
	get passing(): boolean {
		return this.code === "SQLITE_BUSY" || this.written === "unknown" || !this.code.startsWith("SQL");
	}
}

/** What became of a change: it happened, or it did not and never will; undefined where that was never found out. */
export type Settled = "happened" | "never" | undefined;

const RETRY_SECONDS = 2;
/** What is said of a change of which nobody knows whether it happened. */
export const UNKNOWN_OUTCOME =
	"The database did not answer in time, so whether this change was saved is not known: look at it again before you repeat it.";

/** The failure of one change, or of a read before it: known by its code where nothing was changed, 503 where nobody knows that. */
export function changeFailure(code: FailureCode, cause: unknown): Failure {
	if (cause instanceof Failure) return cause;
	if (cause instanceof DatabaseError && cause.written === "unknown") return busy(UNKNOWN_OUTCOME, cause);
	return new Failure(code, undefined, { cause });
}

/** A 503 that says when to try again. */
export function busy(message: string, cause?: unknown): Failure {
	return new Failure("server_error", undefined, { message, cause, timedOut: true, retryAfterSeconds: RETRY_SECONDS });
}
