/* A program that may hang, die, or leave others behind: it ends in any case, and what it has started ends with it. */

export interface Bounds {
	/** For how long it may print nothing. */
	readonly silentMs: number;
	/** For how long it may run. */
	readonly wholeMs: number;
}

export interface Ended {
	/** Null where a signal ended it. */
	readonly exit: number | null;
	/** Which bound it went over. */
	readonly over?: string;
	/** Of the program and of what it has waited for. */
	readonly processorSeconds: number;
}

/** How long what a program has left behind may hold its output open. */
const DRAIN_MS = 2_000;

const running = new Set<number>();

/** Ends all that runs, where this process is told to end. */
export function endAll(): void {
	for (const pid of running) endGroup(pid);
}

/** Runs a program to its end, and hands on each line that it prints, of both its outputs. */
export async function runBounded(
	command: readonly string[],
	options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
	{ silentMs, wholeMs }: Bounds,
	line: (text: string) => void,
): Promise<Ended> {
	// A group of its own: a signal to it reaches what the program has started, too.
	const child = Bun.spawn([...command], { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
	running.add(child.pid);
	let over: string | undefined;
	const end = (bound: string) => {
		over ??= bound;
		endGroup(child.pid);
	};
	const whole = setTimeout(() => end(`ran for more than ${minutes(wholeMs)}`), wholeMs);
	const silence = () => setTimeout(() => end(`printed nothing for ${minutes(silentMs)}`), silentMs);
	let silent = silence();
	const heard = () => {
		clearTimeout(silent);
		silent = silence();
	};
	const read = Promise.all([child.stdout, child.stderr].map((output) => readLines(output, heard, line)));
	await child.exited;
	endGroup(child.pid);
	await Promise.race([read, Bun.sleep(DRAIN_MS)]);
	clearTimeout(whole);
	clearTimeout(silent);
	running.delete(child.pid);
	const { exitCode: exit } = child;
	const processorSeconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6;
	return { exit, processorSeconds, ...(over === undefined ? {} : { over }) };
}

function minutes(ms: number): string {
	return ms >= 60_000 ? `${Math.round(ms / 60_000)} minutes` : `${ms / 1_000} s`;
}

function endGroup(pid: number): void {
	try {
		process.kill(-pid, "SIGKILL");
	} catch {
		// Nothing of it runs any more.
	}
}

async function readLines(
	output: ReadableStream<Uint8Array>,
	heard: () => void,
	line: (text: string) => void,
): Promise<void> {
	const decoder = new TextDecoder();
	let kept = "";
	for await (const bytes of output) {
		heard();
		const lines = (kept + decoder.decode(bytes, { stream: true })).split("\n");
		kept = lines.pop() ?? "";
		for (const text of lines) line(text);
	}
	if (kept !== "") line(kept);
}
