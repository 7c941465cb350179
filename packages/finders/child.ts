import { Failure } from "@svc/base/failure";
import { Gate } from "@svc/base/pace/gate";
import { type MessageChild, startMessageChild } from "@svc/base/processes/message-child";
import { programPath } from "@svc/base/processes/programs";
import type { ChildAnswer } from "./child-program.ts";
import { checkPicture, type RawPicture } from "./picture.ts";

interface ChildLimits {
	/** Applies to one try at a task, including the start of the process. */
	readonly timeoutMs: number;
	/** A process that holds more than this after a task is ended: WebAssembly never gives memory back. */
	readonly keptBytes: number;
}

/** A program in a process of its own, which is started by the first task and works on one at a time. */
export interface FinderProcess<Task, Result> {
	/**
	 * @throws FinderFailure whatever goes wrong, and within twice `timeoutMs` of the task's turn: a process that dies is replaced once.
	 * The signal's reason when it aborts before that turn.
	 */
	ask(task: Task, signal?: AbortSignal): Promise<Result>;
	/** Ends the process for good; what it works on fails as `closed`. */
	close(): void;
	/** Id of the process, while there is one. */
	readonly pid: number | undefined;
}

/** Finds something in pictures, in a process of its own. */
export interface Finder<Found> {
	/**
	 * @throws FinderFailure when there is no answer. RangeError for something that is not an analysis picture. The signal's reason when
	 * it aborts before the picture's turn.
	 */
	find(picture: RawPicture, signal?: AbortSignal): Promise<Found>;
	/** Ends the process, and the finder with it. */
	close(): void;
	/** Id of the process, while there is one. */
	readonly pid: number | undefined;
}

/** A finder whose `program`, a file of this folder, makes an answer of each picture. */
export function openFinder<Found>(program: string, args: readonly string[], limits: ChildLimits): Finder<Found> {
	const child = openChild<RawPicture, Found>(programPath(program, import.meta.url), args, limits);
	return {
		find: async (picture, signal) => {
			checkPicture(picture);
			const { data, width, height } = picture;
			return await child.ask({ data, width, height }, signal);
		},
		close: child.close,
		get pid() {
			return child.pid;
		},
	};
}

/** Pictures come in bursts; between them the memory is better used by others. */
const IDLE_MS = 60_000;
/** A picture is 1.2 MB, so what waits stays small, too. */
const WAITING = 64;
const WAIT_MS = 30_000;

/**
 * A process and not a thread: Bun cannot end a Worker that is busy in WebAssembly, and this way neither a hang, a crash nor the memory
 * of a model reaches the service.
 */
export function openChild<Task extends object, Result>(
	program: string,
	args: readonly string[],
	{ timeoutMs, keptBytes }: ChildLimits,
): FinderProcess<Task, Result> {
	const gate = new Gate({ running: 1, waiting: WAITING, waitMs: WAIT_MS });
	let child: Started | undefined;
	let idle: ReturnType<typeof setTimeout> | undefined;
	let closed = false;

	const started = (): Started => {
		// The system may kill it for its memory while it is idle; the next task must not be sent to a dead process.
		const fresh =
			child ??
			start(program, args, () => {
				if (child === fresh) child = undefined;
			});
		child = fresh;
		return fresh;
	};
	const stop = () => {
		clearTimeout(idle);
		child?.process.kill();
		child = undefined;
	};
	const attempt = async (task: Task): Promise<Reply<Result>> => {
		if (closed) return { kind: "closed" };
		clearTimeout(idle);
		const reply = await ask<Task, Result>(started, task, timeoutMs);
		if (reply.kind !== "done" || reply.rssBytes > keptBytes) stop();
		else {
			idle = setTimeout(stop, IDLE_MS);
			idle.unref();
		}
		return closed ? { kind: "closed" } : reply;
	};
	const work = async (task: Task): Promise<Result> => {
		let reply = await attempt(task);
		// The picture may not be the cause.
		if (reply.kind === "broken") reply = await attempt(task);
		if (reply.kind === "done") return reply.result;
		if (reply.kind === "closed") throw new FinderFailure("closed", "the finder was closed");
		throw new FinderFailure(reply.kind, reply.reason);
	};

	return {
		ask: (task, signal = new AbortController().signal) =>
			gate
				.run(signal, () => work(task))
				.catch((error: unknown) => {
					if (!(error instanceof Failure)) throw error;
					throw new FinderFailure("busy", "too many pictures wait for this finder", { cause: error });
				}),
		close: () => {
			closed = true;
			stop();
		},
		get pid() {
			return child?.process.pid;
		},
	};
}

type Reply<Result> =
	| ChildAnswer<Result>
	| { readonly kind: "slow" | "broken"; readonly reason: string }
	| { readonly kind: "closed" };

/** It works on what strangers upload, so it sees none of the service's secrets: not through its environment, and not through a file beside it. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: "2" };

/** A process, and whoever waits for what it says next. */
interface Started {
	readonly process: MessageChild;
	answer: ((reply: ChildAnswer<never> | { readonly kind: "broken"; readonly reason: string }) => void) | undefined;
}

function start(program: string, args: readonly string[], ended: () => void): Started {
	const started: Started = {
		answer: undefined,
		process: startMessageChild(program, {
			args,
			env: ENVIRONMENT,
			isLoud: false,
			heard: (message) => started.answer?.(message as ChildAnswer<never>),
			ended(reason) {
				ended();
				started.answer?.({ kind: "broken", reason });
			},
		}),
	};
	return started;
}

/** A child that cannot start, dies or hangs is one more answer: this never rejects, and finishes within `timeoutMs`. */
async function ask<Task extends object, Result>(
	started: () => Started,
	task: Task,
	timeoutMs: number,
): Promise<Reply<Result>> {
	const { promise, resolve } = Promise.withResolvers<Reply<Result>>();
	const timer = setTimeout(() => resolve({ kind: "slow", reason: `no answer in ${timeoutMs} ms` }), timeoutMs);
	let child: Started | undefined;
	try {
		child = started();
		child.answer = resolve;
		child.process.hold(true);
		child.process.send(task);
	} catch (error) {
		resolve({ kind: "broken", reason: String(error) });
	}
	const reply = await promise;
	clearTimeout(timer);
	if (child) child.answer = undefined;
	// An idle process must not keep the service from ending; it sees its pipe close then.
	child?.process.hold(false);
	return reply;
}

/**
 * Why a finder gave no answer: `busy` and it was not even tried, `slow` and it was ended, `broken` as its process died or could not
 * start, `failed` as its program threw, `unavailable` as something is not installed, `closed` by its owner.
 */
export type FinderTrouble = "busy" | "slow" | "broken" | "failed" | "unavailable" | "closed";

/** A picture without a face or a subject is an answer; this is the lack of one. The message is for the log. */
export class FinderFailure extends Error {
	override readonly name = "FinderFailure";
	readonly trouble: FinderTrouble;

	constructor(trouble: FinderTrouble, message: string, options?: ErrorOptions) {
		super(message, options);
		this.trouble = trouble;
	}
}
