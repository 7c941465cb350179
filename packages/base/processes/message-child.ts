import type { ChildProcess } from "node:child_process";
import { messageReader, packed } from "./pipe.ts";
import { startProgram } from "./programs.ts";

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

/** Starts a program, whose other end is message-program.ts. It is not held. One that cannot be started ends after this has returned. */
export function startMessageChild(program: string, options: MessageChildOptions): MessageChild {
	const { args, env, isLoud, heard, ended } = options;
	let alive = true;
	const end = (reason: string) => {
		if (!alive) return;
		alive = false;
		ended(reason);
	};
	const stdio = ["pipe", "pipe", isLoud ? "inherit" : "ignore"] as const;
	const child = startProgram(program, { args, env, stdio: [...stdio], failed: end });
	const kill = () => {
		child?.kill("SIGKILL");
	};
	const hear = messageReader(heard);
	child?.once("exit", (code, signal) => end(`ended by ${signal ?? code}`));
	child?.stdin?.on("error", () => undefined);
	child?.stdout?.on("data", (chunk: Buffer) => {
		try {
			hear(chunk);
		} catch {
			// It does not speak as our programs do.
			kill();
		}
	});
	if (child) setHeld(child, false);
	return {
		pid: child?.pid,
		send: (message) => {
			child?.stdin?.write(packed(message));
		},
		hold: (held) => {
			if (child) setHeld(child, held);
		},
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
