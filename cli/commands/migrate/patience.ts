import { ApiError, ConnectionError } from "@svc/sdk/failure";
import { wait } from "@svc/sdk/wire/retry";
import { EXIT } from "../../kit/exit.ts";
import { exitOf } from "../../kit/refusal.ts";

/* A collection takes a night, and a service may be started anew meanwhile: nobody wants to begin again for that. */

/** With the pauses of the SDK about ten minutes. */
const TRIES = 20;
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
const MOST_ASKED_MS = 300_000;

/** Does what may be done twice until it is done, or until the service has been away for too long. @throws what it threw last */
export async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await work();
		} catch (error) {
			if (signal.aborted || tries >= TRIES || !mayPass(error)) throw error;
			await wait(pauseAfter(error, tries), signal);
		}
	}
}

function mayPass(error: unknown): boolean {
	return (error instanceof ApiError || error instanceof ConnectionError) && exitOf(error) === EXIT.later;
}

function pauseAfter(error: unknown, tries: number): number {
	const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
	return Math.min(MOST_ASKED_MS, Math.max(asked, Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1))));
}
