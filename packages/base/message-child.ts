import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { messageReader, packed } from "./pipe.ts";
import { runtimeArguments } from "./programs.ts";
import { RUNTIME_ENVIRONMENT } from "./runtime-environment.ts";

/** A program in a process of its own, with which messages are exchanged. */
export interface MessageChild {
	readonly pid: number | undefined;
	/** What is sent to a process that has just ended is answered by its end. */
	send(message: unknown): void;
	/** Whether it keeps this process from ending; it ends with it. */
	hold(held: boolean): void;
	/** Ends it at once, whatever it does. */
	kill(): void;
}

export interface MessageChildOptions {
	readonly args: readonly string[];
	/** All of its environment, but for what the runtime itself needs. */
	readonly env: Readonly<Record<string, string>>;
	/** Whether what it writes as errors goes where this process writes them. */
	readonly isLoud: boolean;
	readonly heard: (message: unknown) => void;
	/** Called once, with the cause: it could not be started, or how it ended. */
	readonly ended: (reason: string) => void;
}

/** Starts a program, whose other end is message-program.ts. It is not held. */
export function startMessageChild(program: string, options: MessageChildOptions): MessageChild {
	const { args, env, isLoud, heard, ended } = options;
	const child = spawn(process.execPath, [...runtimeArguments(), program, ...args], {
		env: { ...RUNTIME_ENVIRONMENT, ...env },
		cwd: dirname(program),
		stdio: ["pipe", "pipe", isLoud ? "inherit" : "ignore"],
	});
	let alive = true;
	const end = (reason: string) => {
		if (alive) ended(reason);
		alive = false;
	};
	const kill = () => void child.kill("SIGKILL");
	const hear = messageReader(heard);
	child.once("exit", (code, signal) => end(`ended by ${signal ?? code}`));
	child.on("error", (error) => end(error.message));
	child.stdin.on("error", () => undefined);
	child.stdout.on("data", (chunk: Buffer) => {
		try {
			hear(chunk);
		} catch {
			// It does not speak as our programs do.
			kill();
		}
	});
	setHeld(child, false);
	return {
		pid: child.pid,
		send: (message) => void child.stdin.write(packed(message)),
		hold: (held) => setHeld(child, held),
		kill,
	};
}

/** A pipe of a child is a socket, which its type does not say. */
type Pipe = { ref?: () => void; unref?: () => void } | null;

function setHeld(child: ChildProcess, isHeld: boolean): void {
	for (const held of [child, child.stdin as Pipe, child.stdout as Pipe]) {
		if (isHeld) held?.ref?.();
		else held?.unref?.();
	}
}
