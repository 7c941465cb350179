import { ApiError } from "@svc/sdk/failure";
import { wait } from "@svc/sdk/wire/retry";
import type { Move } from "./move.ts";

/* A collection takes a night, and a service may be started anew meanwhile: nobody wants to begin again for that. */

/** With the pauses of the SDK about ten minutes. */
const TRIES = 20;
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
const MOST_ASKED_MS = 300_000;

/** Does what may be done twice until it is done, or until the service has been away for too long. @throws what it threw last */
export async function patiently<T>({ context, mayPass }: Move, work: () => Promise<T>): Promise<T> {
	const { signal } = context.process;
	for (let tries = 1; ; tries++) {
		try {
			return await work();
		} catch (error) {
			if (signal.aborted || tries >= TRIES || !mayPass(error)) throw error;
			await wait(pauseAfter(error, tries), signal);
		}
	}
}

function pauseAfter(error: unknown, tries: number): number {
	const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
	return Math.min(MOST_ASKED_MS, Math.max(asked, Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1))));
}
