import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { RUNTIME_ENVIRONMENT } from "@svc/base/runtime-environment";
import type { Outcome, Said, Sent } from "./orders.ts";
import { messageReader, packed } from "./pipe.ts";
import { HAS_PROC, type Usage, usageOf } from "./watch.ts";

/** A process that works on one order at a time. */
export interface Child {
	readonly pid: number | undefined;
	/** Resolves when it can take orders, or has ended before. */
	readonly started: Promise<boolean>;
	/** Resolves when it has ended, whatever the cause. */
	readonly ended: Promise<void>;
	/** What it answers, and the processor time that this took, in milliseconds; undefined when it ends instead. */
	ask(sent: Sent): Promise<Answered | undefined>;
	/** What it uses now; undefined when it has ended. */
	usage(): Usage | undefined;
	/** Ends it at once, whatever it does. */
	kill(): void;
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

const PROGRAM = fileURLToPath(new URL("./program.ts", import.meta.url));

/**
 * A worker reads files of strangers with decoders that have had holes, so it gets nothing that is worth anything: its whole environment is how it
 * is to use memory. `MALLOC_*` give it back early and keep it in one piece; there is no pool of threads to speak of, because one picture is
 * worked on at a time.
 */
const ENVIRONMENT = {
	MALLOC_ARENA_MAX: "2",
	MALLOC_MMAP_THRESHOLD_: "1048576",
	MALLOC_TRIM_THRESHOLD_: "8388608",
	UV_THREADPOOL_SIZE: "2",
	NODE_ENV: "production",
	...RUNTIME_ENVIRONMENT,
};

export function startChild({ nice, program = PROGRAM }: ChildOptions): Child {
	const flags = ["--smol", "--expose-gc", "--no-env-file"];
	const child = spawn(process.execPath, [...flags, program, String(nice), String(!HAS_PROC)], {
		env: ENVIRONMENT,
		cwd: dirname(program),
		stdio: ["pipe", "pipe", "inherit"],
	});
	const started = Promise.withResolvers<boolean>();
	const ended = Promise.withResolvers<void>();
	let told: Usage = { cpuMs: 0, rssBytes: 0 };
	let answered: ((said: Said | undefined) => void) | undefined;
	let alive = true;

	const kill = () => void child.kill("SIGKILL");
	const end = () => {
		alive = false;
		started.resolve(false);
		answered?.(undefined);
		ended.resolve();
	};
	const hear = messageReader((message) => {
		const said = message as Said;
		told = said;
		started.resolve(true);
		if (said.outcome) answered?.(said);
	});
	child.once("exit", end);
	child.on("error", end);
	// What was sent to a process that has just ended is answered by its end.
	child.stdin.on("error", () => undefined);
	child.stdout.on("data", (chunk: Buffer) => {
		try {
			hear(chunk);
		} catch {
			// It does not speak as our program does.
			kill();
		}
	});
	setReferenced(child, false);

	return {
		pid: child.pid,
		started: started.promise,
		ended: ended.promise,
		async ask(sent) {
			if (!alive) return undefined;
			const { promise, resolve } = Promise.withResolvers<Said | undefined>();
			const before = told.cpuMs;
			answered = resolve;
			setReferenced(child, true);
			child.stdin.write(packed(sent));
			const said = await promise;
			answered = undefined;
			setReferenced(child, false);
			return said?.outcome && { ...said, outcome: said.outcome, cpuMs: said.cpuMs - before };
		},
		usage: () => (alive && child.pid !== undefined ? (HAS_PROC ? usageOf(child.pid) : told) : undefined),
		kill,
	};
}

/** A pipe of a child is a socket, which its type does not say. */
type Pipe = { ref?: () => void; unref?: () => void } | null;

/** An idle worker must not keep the service from ending; it ends with it. */
function setReferenced(child: ChildProcess, referenced: boolean): void {
	for (const held of [child, child.stdin as Pipe, child.stdout as Pipe]) {
		if (referenced) held?.ref?.();
		else held?.unref?.();
	}
}
