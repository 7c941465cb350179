import { Console } from "node:console";
import { receive, send } from "@svc/base/processes/message-program";
import { endWithParent } from "@svc/base/processes/parent";

/* The other end of child.ts: what a finder's own process does with the messages that it gets. */

export type ChildAnswer<Result> =
	| { readonly kind: "done"; readonly result: Result; readonly rssBytes: number }
	/** The state of this process is not known any more. */
	| { readonly kind: "failed"; readonly reason: string };

/** There when the process was started with `--expose-gc`. */
const { gc: collect } = globalThis as { gc?: () => void };

/** Answers every task with what `work` makes of it, until the parent closes the pipe or is gone, and then ends this process. */
export async function serve<Task, Result>(work: (task: Task) => Promise<Result>): Promise<never> {
	endWithParent();
	// Libraries talk about every accelerator that they do not find; standard output is for answers.
	Object.assign(globalThis.console, new Console(process.stderr));
	// A signal to the whole group means that the service drains; it ends this process when it needs it no more.
	process.on("SIGINT", () => undefined);
	process.on("SIGTERM", () => undefined);
	for (;;) {
		const task = receive() as Task | undefined;
		if (!task) process.exit(0);
		send(await answer(work, task));
		// A task leaves megabytes of numbers behind, and until the next one there is time.
		collect?.();
	}
}

async function answer<Task, Result>(work: (task: Task) => Promise<Result>, task: Task): Promise<ChildAnswer<Result>> {
	try {
		return { kind: "done", result: await work(task), rssBytes: process.memoryUsage.rss() };
	} catch (error) {
		return { kind: "failed", reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
	}
}
