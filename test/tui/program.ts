import { fileURLToPath } from "node:url";
import { Terminal } from "@xterm/headless";

/* The real program on a real pseudo-terminal, and a screen that understands what it writes. */

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const POLL_MS = 20;

interface Options {
	readonly env: Readonly<Record<string, string>>;
	readonly args?: readonly string[];
	/** Loaded before the program: to make it fail. */
	readonly preload?: string;
	readonly columns?: number;
	readonly rows?: number;
}

export interface Program extends AsyncDisposable {
	readonly pid: number;
	/** What is on the screen now. */
	lines(): string[];
	readonly isAlternate: boolean;
	/** Everything that was written, escapes included. */
	written(): string;
	type(text: string): void;
	resize(columns: number, rows: number): Promise<void>;
	/** Waits for a screen that fits. @throws Error with the screen that was there instead */
	until(wanted: string | RegExp | ((lines: string[]) => boolean), withinMs?: number): Promise<string[]>;
	readonly exited: Promise<number>;
}

function fits(lines: string[], wanted: string | RegExp | ((lines: string[]) => boolean)): boolean {
	const text = lines.join("\n");
	if (typeof wanted === "string") return text.includes(wanted);
	return wanted instanceof RegExp ? wanted.test(text) : wanted(lines);
}

export function startProgram({ env, args = [], preload, columns = 120, rows = 30 }: Options): Program {
	const screen = new Terminal({ cols: columns, rows, allowProposedApi: true });
	let written = "";
	let isDrawn = Promise.resolve();
	const decoder = new TextDecoder();
	const pty = new Bun.Terminal({
		cols: columns,
		rows,
		data(_, data) {
			written += decoder.decode(data, { stream: true });
			isDrawn = new Promise((resolve) => screen.write(data, resolve));
		},
	});
	const { HOME = "/", PATH = "/bin" } = process.env;
	const child = Bun.spawn(
		[process.execPath, ...(preload === undefined ? [] : ["--preload", preload]), MAIN, "tui", ...args],
		{ terminal: pty, env: { HOME, PATH, TERM: "xterm-256color", ...env } },
	);
	const lines = () => {
		const { active } = screen.buffer;
		return Array.from({ length: screen.rows }, (_, row) => {
			return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
		});
	};
	return {
		pid: child.pid,
		lines,
		written: () => written,
		get isAlternate() {
			return screen.buffer.active.type === "alternate";
		},
		type: (text) => void pty.write(text),
		async resize(width, height) {
			await isDrawn;
			screen.resize(width, height);
			pty.resize(width, height);
			// The pseudo-terminal is not the child's controlling one, so that nobody else tells it.
			child.kill("SIGWINCH");
		},
		async until(wanted, withinMs = 8_000) {
			const endMs = Date.now() + withinMs;
			while (!fits(lines(), wanted)) {
				if (Date.now() > endMs) throw new Error(`Never saw ${String(wanted)}:\n${lines().join("\n")}`);
				await Bun.sleep(POLL_MS);
			}
			return lines();
		},
		exited: child.exited.then(async (exit) => {
			await Bun.sleep(POLL_MS);
			await isDrawn;
			return exit;
		}),
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			pty.close();
			screen.dispose();
		},
	};
}
