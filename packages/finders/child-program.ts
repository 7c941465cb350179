/* The other end of child.ts: what a finder's own process does with the messages that it gets. */

export type ChildAnswer<Result> =
	| { readonly kind: "done"; readonly result: Result; readonly rssBytes: number }
	/** The state of this process is not known any more. */
	| { readonly kind: "failed"; readonly reason: string };

/** There when the process was started with `--expose-gc`. */
const { gc: collect } = globalThis as { gc?: () => void };

/** Answers every task with what `work` makes of it, until the parent closes the channel or is gone. */
export function serve<Task, Result>(work: (task: Task) => Promise<Result>): void {
	process.on("message", async (task: Task) => {
		process.send?.(await answer(work, task));
		// A task leaves megabytes of numbers behind, and until the next one there is time.
		collect?.();
	});
	// A signal to the whole group means that the service drains; it ends this process when it needs it no more.
	process.on("SIGINT", () => undefined);
	process.on("SIGTERM", () => undefined);
	process.on("disconnect", () => process.exit(0));
}

async function answer<Task, Result>(work: (task: Task) => Promise<Result>, task: Task): Promise<ChildAnswer<Result>> {
	try {
		return { kind: "done", result: await work(task), rssBytes: process.memoryUsage.rss() };
	} catch (error) {
		return { kind: "failed", reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
	}
}
