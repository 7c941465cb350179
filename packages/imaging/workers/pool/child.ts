import { startMessageChild } from "@svc/base/processes/message-child";
import { programPath } from "@svc/base/processes/programs";
import type { Loss } from "../failures.ts";
import type { Outcome, Said, SentOrder } from "../orders.ts";
import { HAS_PROC, type ProcessUsage, usageOf } from "./watch.ts";

/** A process that works on one order at a time. */
export interface Child {
	readonly pid: number | undefined;
	/** Resolves when it can take orders, or has ended before. */
	readonly started: Promise<boolean>;
	/** Resolves when it has ended, with the cause; one that could not be started ends, too. */
	readonly ended: Promise<End>;
	/** What it answers, and the processor time that this took, in milliseconds; undefined when it ends instead. */
	ask(sent: SentOrder): Promise<Answered | undefined>;
	/** What it uses now; undefined when it has ended. */
	usage(): ProcessUsage | undefined;
	/** Ends it at once, whatever it does. The first reason counts; without one it is as if it had ended by itself. */
	kill(reason?: EndReason): void;
}

/** Why a process ended: something of its order, somebody's wish to have its memory, or nobody who waits any more. */
export type EndReason = Loss | "idle" | "abandoned";

/** How a process ended, with words for the log. */
export interface End {
	readonly reason: EndReason;
	readonly why: string;
	/** Whether it has answered an order. */
	readonly hasWorked: boolean;
}

export interface Answered extends Pick<Said, "notes" | "last"> {
	readonly outcome: Outcome;
	readonly cpuMs: number;
}

export interface ChildOptions {
	/** How much others go before it: 0 to 19. */
	readonly nice: number;
	/** Another program in tests only. */
	readonly program?: string | undefined;
}

const PROGRAM = programPath("./program.ts", import.meta.url);

/**
 * A worker reads files of strangers with decoders that have had holes, so it gets nothing that is worth anything: its whole environment is how it
 * is to use memory. `MALLOC_*` give it back early and keep it in one piece, `GLIBC_TUNABLES` takes what is large in large pages, each of which
 * would be cleared in 512 steps otherwise; there is no pool of threads to speak of, because one picture is
 * worked on at a time.
 */
const ENVIRONMENT = {
	GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
	MALLOC_ARENA_MAX: "2",
	MALLOC_MMAP_THRESHOLD_: "1048576",
	MALLOC_TRIM_THRESHOLD_: "8388608",
	UV_THREADPOOL_SIZE: "2",
	NODE_ENV: "production",
};

export function startChild({ nice, program = PROGRAM }: ChildOptions): Child {
	const started = Promise.withResolvers<boolean>();
	const ended = Promise.withResolvers<End>();
	let told: ProcessUsage = { cpuMs: 0, rssBytes: 0 };
	let answered: ((said: Said | undefined) => void) | undefined;
	let alive = true;
	let wasUp = false;
	let hasWorked = false;
	let killed: EndReason | undefined;

	const child = startMessageChild(program, {
		args: [String(nice), String(!HAS_PROC)],
		env: ENVIRONMENT,
		isLoud: true,
		heard(message) {
			const said = message as Said;
			told = said;
			wasUp = true;
			started.resolve(true);
			if (!said.outcome) return;
			hasWorked = true;
			answered?.(said);
		},
		ended(why) {
			alive = false;
			started.resolve(false);
			answered?.(undefined);
			ended.resolve({ reason: killed ?? (wasUp ? "crash" : "start"), why, hasWorked });
		},
	});

	return {
		pid: child.pid,
		started: started.promise,
		ended: ended.promise,
		async ask(sent) {
			if (!alive) return undefined;
			const { promise, resolve } = Promise.withResolvers<Said | undefined>();
			const before = told.cpuMs;
			answered = resolve;
			child.hold(true);
			child.send(sent);
			const said = await promise;
			answered = undefined;
			child.hold(false);
			return said?.outcome && { ...said, outcome: said.outcome, cpuMs: said.cpuMs - before };
		},
		usage: () => (alive && child.pid !== undefined ? (HAS_PROC ? usageOf(child.pid) : told) : undefined),
		kill(reason) {
			killed ??= reason;
			child.kill();
		},
	};
}
