import process from "node:process";
import { GRAPHICS_QUERY } from "../preview/layer.ts";
import { createInputParser, type Input } from "./input.ts";
import { put } from "./put.ts";

/* The terminal is borrowed: whatever happens, it goes back as it was. */

const ESCAPE_WAIT_MS = 40;
/** How large a cell is, in pixels (XTWINOPS). */
const CELL_QUERY = "\u001b[16t";
const CLEAR = "\u001b[0m\u001b[2J\u001b[H";
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?1000h\u001b[?1006h\u001b[?2004h";
const LEAVE = "\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[0m\u001b[?25h\u001b[?1049l";

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const EXIT_BUG = 70;

type Signal = keyof typeof SIGNALS;
const SIGNAL_NAMES: readonly Signal[] = ["SIGHUP", "SIGINT", "SIGTERM"];

interface SessionEvents {
	input(input: Input): void;
	/** The screen has been cleared. */
	resized(columns: number, rows: number): void;
	/** Stops drawing, before the screen is given back. */
	stopped(): void;
}

export interface TerminalSession {
	readonly columns: number;
	readonly rows: number;
	/** Sends a sequence that draws nothing, as for the clipboard. */
	send(sequence: string): void;
	/** Gives the terminal back; a second time does nothing. */
	close(): void;
}

/**
 * Takes over the terminal of this process. Where it is asked what it can show, its answers are input like everything else; none ever
 * comes from a terminal that does not know the questions.
 */
export function openTerminal(events: SessionEvents, asks: boolean): TerminalSession {
	const { stdout } = process;
	let isOpen = true;
	let stopReading: () => void = () => undefined;

	let repaints = 0;

	const resized = () => {
		if (!isOpen) return;
		repaints++;
		put(CLEAR);
		events.resized(stdout.columns, stdout.rows);
	};
	// A size that came back before it was read looks unchanged, but the terminal may have cut the screen off meanwhile.
	const woken = () => {
		const before = repaints;
		setImmediate(() => {
			if (repaints === before) resized();
		});
	};
	const crashed = (error: unknown) => {
		close();
		process.stderr.write(`svc tui stopped because of a bug in it:\n${describe(error)}\n`);
		process.exit(EXIT_BUG);
	};
	const signalled = (signal: Signal) => {
		close();
		process.exit(SIGNALS[signal]);
	};
	const listeners = SIGNAL_NAMES.map((signal) => [signal, () => signalled(signal)] as const);

	function close(): void {
		if (!isOpen) return;
		isOpen = false;
		try {
			events.stopped();
			stopReading();
		} finally {
			put(LEAVE);
			stdout.off("resize", resized);
			process.off("SIGWINCH", woken);
			process.off("uncaughtException", crashed);
			process.off("unhandledRejection", crashed);
			for (const [signal, listener] of listeners) process.off(signal, listener);
		}
	}

	process.on("uncaughtException", crashed);
	process.on("unhandledRejection", crashed);
	for (const [signal, listener] of listeners) process.prependListener(signal, listener);
	// First in line: a frame drawn over the old one would be moved by however the terminal reflowed it.
	stdout.prependListener("resize", resized);
	process.on("SIGWINCH", woken);
	// Cleared last: whatever does not know a question may have written it on the screen.
	put(ENTER + (asks ? GRAPHICS_QUERY + CELL_QUERY : "") + CLEAR);
	try {
		stopReading = readInput(events, () => signalled("SIGHUP"));
	} catch (cause) {
		close();
		throw cause;
	}
	return {
		get columns() {
			return stdout.columns;
		},
		get rows() {
			return stdout.rows;
		},
		send: put,
		close,
	};
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function readInput(events: SessionEvents, hungUp: () => void): () => void {
	const { stdin } = process;
	const parser = createInputParser();
	let timer: ReturnType<typeof setTimeout> | undefined;
	const flush = () => {
		for (const input of parser.flush()) events.input(input);
	};
	const read = () => {
		clearTimeout(timer);
		for (let chunk: unknown = stdin.read(); chunk !== null; chunk = stdin.read()) {
			if (!(chunk instanceof Uint8Array)) continue;
			for (const input of parser.push(chunk)) events.input(input);
		}
		if (parser.waits) timer = setTimeout(flush, ESCAPE_WAIT_MS);
	};
	stdin.setRawMode(true);
	// Pulled instead of pushed: a listener for "data" that is paused once leaves later readers deaf.
	stdin.on("readable", read);
	stdin.on("end", hungUp);
	// This listener stays: an error without one would end the process while it closes.
	stdin.on("error", hungUp);
	return () => {
		clearTimeout(timer);
		stdin.off("readable", read);
		stdin.off("end", hungUp);
		stdin.setRawMode(false);
		stdin.pause();
		stdin.unref();
	};
}
