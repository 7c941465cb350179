import { type ChildProcess, fork } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { blameFor } from "./decoder-words.ts";
import { weightedGate } from "./gate.ts";
import type { HeicAnswer, HeicTask } from "./heic-worker.ts";

type Converted = Extract<HeicAnswer, { kind: "converted" }>;

/** Why a file was not converted, in the words of the decoder: they tell whether the file is to blame. */
export class HeicRefusal extends Error {
	override readonly name = "HeicRefusal";
}

export interface HeicConverter {
	/**
	 * Writes the primary picture as a JPEG, where it is transparent as a PNG: strictly decoded, upright, in its own colour profile, its EXIF and XMP kept.
	 * Tries once more, in a fresh child, unless the words of the first try blame the file; those are the `cause` then.
	 * @throws HeicRefusal when it is not whole, not HEVC or too large, and when the child died or gave no answer in time
	 */
	convert(task: HeicTask): Promise<Converted>;
	/** Ends the child; the next conversion starts another. */
	stop(): void;
}

/** Twelve megapixels take 1.3 s; the largest accepted picture has four times as many, and a busy machine takes ten times as long. */
const TIMEOUT_MS = 60_000;
/** A phone's picture needs 80 MB. What a larger one took is given back by ending the child. */
const KEPT_HEAP_BYTES = 160 * 1024 * 1024;
/** Uploads of HEIC come in bursts; between them the child's memory is better used by others. */
const IDLE_MS = 60_000;

const PROGRAM = fileURLToPath(new URL("./heic-worker.ts", import.meta.url));

/** One child, started by the first conversion, with one conversion at a time. `timeoutMs` is shorter in tests only. */
export function heicConverter(timeoutMs = TIMEOUT_MS): HeicConverter {
	const inTurn = weightedGate(1);
	let child: ChildProcess | undefined;
	let idle: ReturnType<typeof setTimeout> | undefined;

	const stop = () => {
		clearTimeout(idle);
		child?.kill("SIGKILL");
		child = undefined;
	};
	const attempt = async (task: HeicTask): Promise<Reply> => {
		clearTimeout(idle);
		child ??= start();
		const reply = await ask(child, task, timeoutMs);
		if (!reusable(reply)) stop();
		else {
			idle = setTimeout(stop, IDLE_MS);
			idle.unref();
			rest(child);
		}
		return reply;
	};

	return {
		convert: (task) =>
			inTurn(1, async () => {
				const first = await attempt(task);
				if (first.kind === "converted") return first;
				const refusal = new HeicRefusal(first.reason);
				if (first.kind === "silent" || blameFor(first.reason) === "file") throw refusal;
				// The file may not be the cause: the system may kill an idle child for its memory.
				stop();
				const second = await attempt(task);
				if (second.kind === "converted") return second;
				throw new HeicRefusal(second.reason, { cause: refusal });
			}),
		stop,
	};
}

function start(): ChildProcess {
	return fork(PROGRAM, [], {
		// It works on hostile input, so it sees none of the service's secrets: not through its environment, and not through a
		// `.env` file beside its working directory.
		env: { MALLOC_ARENA_MAX: "2" },
		cwd: dirname(PROGRAM),
		execArgv: [],
		stdio: ["ignore", "ignore", "inherit", "ipc"],
	});
}

type Reply = HeicAnswer | { readonly kind: "silent"; readonly reason: string };

function reusable(reply: Reply): boolean {
	if (reply.kind === "converted") return reply.heapBytes <= KEPT_HEAP_BYTES;
	return reply.kind === "refused";
}

/** An idle child must not keep the service from ending; when the service ends, the child sees its channel close. */
function rest(child: ChildProcess): void {
	child.unref();
}

/** A child that dies or hangs is one more answer. Rejects only when no child could be started, for which no file is to blame. */
function ask(child: ChildProcess, task: HeicTask, timeoutMs: number): Promise<Reply> {
	return new Promise((resolve, reject) => {
		const settle = (reply: Reply) => {
			clearTimeout(timer);
			child.removeAllListeners();
			// An error that arrives after the answer would otherwise count as uncaught.
			child.on("error", () => undefined);
			resolve(reply);
		};
		const timer = setTimeout(() => settle({ kind: "silent", reason: `no answer in ${timeoutMs} ms` }), timeoutMs);
		child.once("message", (answer) => settle(answer as HeicAnswer));
		child.once("exit", (code, signal) => settle({ kind: "broken", reason: `ended by ${signal ?? code}` }));
		child.once("error", (error) => {
			clearTimeout(timer);
			reject(error);
		});
		child.ref();
		child.send(task);
	});
}
