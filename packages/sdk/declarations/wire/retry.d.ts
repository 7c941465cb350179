/**
 * Whether sending a request twice does no more than sending it once. A DELETE does not count: its second answer is a 404, which
 * only a caller who knows what was deleted can read as success.
 */
export declare function isRepeatable(method: string, idempotencyKey: string | undefined): boolean;
/** Whether the same request may succeed a little later. */
export declare function isTransient(error: unknown): boolean;
/** Whether the service may have acted although this failure came back: the answer was lost on its way. */
export declare function mayHaveActed(error: unknown): boolean;
/**
 * Milliseconds before the next try; undefined when it is not worth waiting. `attempt` counts from 0, `random` is in [0, 1).
 * Jitter keeps many clients that failed together from returning together.
 */
export declare function waitBeforeRetry(error: unknown, attempt: number, random: number): number | undefined;
/** A timer and the caller's signal in one; `AbortSignal.any` is missing from browsers and runtimes that are still in use. */
export interface Deadline {
    readonly signal: AbortSignal;
    /** True when the timer ran out, false when the caller gave up. */
    isOver(): boolean;
    /** Lets the time begin anew. */
    extend(): void;
    /** Frees the timer and the listener. */
    end(): void;
}
export declare function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline;
/** Rejects with the signal's reason when it aborts meanwhile. */
export declare function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
