import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "@svc/base/failure";
import { nextTurn } from "@svc/base/pace/turns";

/*
 * A filter that nearly no image passes is looked for in all of them: seconds of the processor in a storage of a million. In strides it keeps nobody from
 * being answered, but many of them at once would leave nothing for anybody else.
 */

/** Strides of a walk that keeps nobody waiting. */
const SHORT = 16;
/** How many long walks through one storage may wait for the one that goes on. */
const WAITING_MAX = 8;
const AGAIN_SECONDS = 5;

/** The long walks of each storage: how many there are, and the end of the last of them. */
const walks = new Map<number, { count: number; last: Promise<void> }>();

export interface Walk extends AsyncDisposable {
	/**
	 * Between two strides. From a length on one walk at a time goes through a storage, and rests as long as it works.
	 * @throws Failure rate_limited where too many wait already
	 */
	next(): Promise<void>;
}

export function walkThrough(storagePk: number): Walk {
	let strides = 0;
	let startedMs = 0;
	let leave: (() => void) | undefined;
	return {
		async next() {
			strides += 1;
			if (strides < SHORT) return await nextTurn();
			if (leave) await pause(performance.now() - startedMs);
			leave ??= await enter(storagePk);
			startedMs = performance.now();
		},
		[Symbol.asyncDispose]: async () => leave?.(),
	};
}

async function enter(storagePk: number): Promise<() => void> {
	const known = walks.get(storagePk) ?? { count: 0, last: Promise.resolve() };
	if (known.count > WAITING_MAX) {
		const message =
			"Too many lists of this storage look through all of its images just now. Ask for fewer of them at once, or narrow them by another filter.";
		throw new Failure("rate_limited", undefined, { message, retryAfterSeconds: AGAIN_SECONDS });
	}
	walks.set(storagePk, known);
	known.count += 1;
	const before = known.last;
	const { promise, resolve } = Promise.withResolvers<void>();
	known.last = promise;
	await before;
	return () => {
		known.count -= 1;
		if (known.count === 0) walks.delete(storagePk);
		resolve();
	};
}
