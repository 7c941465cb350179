import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../cli/main.ts");
const { PATH = "" } = process.env;
/** How long nothing at all is taken for something that has not come yet. */
const LATE_MS = 1_000;

interface OnTerminal {
	readonly cwd: string;
	readonly columns?: number;
	/** Besides the path; nothing else of the test's own environment. */
	readonly env?: Readonly<Record<string, string>>;
	/** Whether standard output goes to a pipe, so that only messages reach the terminal. */
	readonly pipesOutput?: boolean;
	/** Default: this program. */
	readonly program?: readonly string[];
	/** Hears of everything that reaches the terminal, when it does. */
	readonly onText?: (text: string) => void;
}

interface Seen {
	readonly exit: number;
	/** Everything that reached the terminal, escapes included. */
	readonly written: string;
	/** What reached the pipe. */
	readonly out: string;
}

/** Runs the real program to its end on a real pseudo-terminal. */
export async function onTerminal(argv: readonly string[], options: OnTerminal): Promise<Seen> {
	const { cwd, columns = 80, env = {}, pipesOutput = false, program = [process.execPath, MAIN], onText } = options;
	const decoder = new TextDecoder();
	let written = "";
	const pty = new Bun.Terminal({
		cols: columns,
		rows: 40,
		data(_terminal, data) {
			const text = decoder.decode(data, { stream: true });
			written += text;
			onText?.(text);
		},
	});
	const file = join(cwd, `piped-${crypto.randomUUID()}`);
	const words = ["sh", "-c", 'exec "$@" > "$0"', pipesOutput ? file : "/dev/stdout", ...program, ...argv];
	const child = Bun.spawn(pipesOutput ? words : [...program, ...argv], {
		cwd,
		terminal: pty,
		env: { PATH, HOME: cwd, TERM: "xterm-256color", ...env },
	});
	const exit = await child.exited;
	// What was written last may still be on its way; on a busy machine, all of it.
	const latest = Date.now() + LATE_MS;
	for (let before = -1; before !== written.length || (before === 0 && Date.now() < latest); await Bun.sleep(50))
		before = written.length;
	pty.close();
	return { exit, written, out: pipesOutput ? await Bun.file(file).text() : "" };
}

/** The lines on a terminal, without what gives them their look. */
export function plainLines(written: string): readonly string[] {
	return Bun.stripANSI(written).split(/\r?\n/).filter(Boolean);
}
