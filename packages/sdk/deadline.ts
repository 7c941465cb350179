/** A timer and the caller's signal in one; `AbortSignal.any` is missing from browsers and runtimes that are still in use. */
export interface Deadline {
	readonly signal: AbortSignal;
	/** True when the timer ran out, false when the caller gave up. */
	isOver(): boolean;
	/** Frees the timer and the listener. */
	end(): void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
	const controller = new AbortController();
	let over = false;
	const timer = setTimeout(() => {
		over = true;
		controller.abort();
	}, timeoutMs);
	const giveUp = () => controller.abort(caller?.reason);
	if (caller?.aborted) giveUp();
	caller?.addEventListener("abort", giveUp, { once: true });
	return {
		signal: controller.signal,
		isOver: () => over,
		end() {
			clearTimeout(timer);
			caller?.removeEventListener("abort", giveUp);
		},
	};
}

/** Rejects with the signal's reason when it aborts meanwhile. */
export function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		const giveUp = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", giveUp);
			resolve();
		}, milliseconds);
		if (signal?.aborted) giveUp();
		else signal?.addEventListener("abort", giveUp, { once: true });
	});
}
