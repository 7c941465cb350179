import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";

/** A command line for the shell. */
interface ShellRun {
	readonly command: string;
	/** All of the command's standard input. */
	readonly input: string;
	/** Called with the output of the command, from either stream. */
	onOutput(text: string): Promise<void>;
	/** Ends the command when aborted. */
	readonly signal: AbortSignal;
}

interface ShellEnd {
	/** Null for a command that a signal ended. */
	readonly exit: number | null;
	/** False for one that closed its standard input before all of it was there. */
	readonly tookInput: boolean;
}

export type RunShell = (run: ShellRun) => Promise<ShellEnd>;

/** How long a command may go on after it was asked to end. */
const GRACE_MS = 3000;
/** How long output may still come from what the command left running. */
const LAST_WORDS_MS = 500;

/** Runs a command line as a terminal would, with its own standard input. @throws Error when there is no shell */
export const runShell: RunShell = async ({ command, input, onOutput, signal }) => {
	const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "pipe"] });
	const end = () => {
		child.kill("SIGTERM");
		setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
	};
	if (signal.aborted) end();
	else signal.addEventListener("abort", end, { once: true });
	let tookInput = true;
	child.stdin.on("error", () => {
		tookInput = false;
	});
	child.stdin.end(input);
	const output = Promise.all([child.stdout, child.stderr].map((stream) => pass(stream, onOutput)));
	try {
		const exit = await new Promise<number | null>((resolve, reject) => {
			child.on("error", reject);
			child.on("exit", resolve);
		});
		await Promise.race([output, pause(LAST_WORDS_MS, undefined, { ref: false })]);
		return { exit, tookInput };
	} finally {
		signal.removeEventListener("abort", end);
		child.stdout.destroy();
		child.stderr.destroy();
	}
};

async function pass(stream: Readable, onOutput: ShellRun["onOutput"]): Promise<void> {
	stream.setEncoding("utf8");
	try {
		for await (const text of stream) await onOutput(String(text));
	} catch {
		// Closed below, while something that the command left running still held it.
	}
}
