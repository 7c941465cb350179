import process from "node:process";
import { GRAPHICS_QUERY } from "../preview/layer.ts";
import { createInputParser, type Part } from "./input.ts";
import { put } from "./put.ts";
import { KeyStream } from "./streams.ts";

/* The terminal is borrowed: whatever happens, it goes back as it was. */

/** For the rest of what has begun: an answer is awaited longer, because nobody types one. */
const WAITS_MS = { escape: 40, answer: 1_000 } as const;
/** How large a cell is, in pixels (XTWINOPS). */
const CELL_QUERY = "\u001b[16t";
/** On which colour it writes (OSC 11). */
const GROUND_QUERY = "\u001b]11;?\u001b\\";
/** What the terminal is (DA1): all of them answer that, and after what they were asked before. */
const LAST_QUERY = "\u001b[c";
/** What is not answered by then is not going to be. */
const PATIENCE_MS = 150;
const CLEAR = "\u001b[0m\u001b[2J\u001b[H";
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?1000h\u001b[?1006h\u001b[?2004h";
const LEAVE = "\u001b[?2004l\u001b[?1006l\u001b[?1000l\u001b[0m\u001b[?25h\u001b[?1049l";

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const EXIT_BUG = 70;

type Signal = keyof typeof SIGNALS;
const SIGNAL_NAMES: readonly Signal[] = ["SIGHUP", "SIGINT", "SIGTERM"];

/** What the terminal is asked. */
interface Questions {
	readonly graphics: boolean;
	readonly ground: boolean;
}

type OtherInput = Exclude<Part, { type: "keys" }>;

interface SessionEvents {
	/** What is no key and no paste. */
	input(input: OtherInput): void;
	/** The screen has been cleared. */
	resized(): void;
	/** Stops drawing, before the screen is given back. */
	stopped(): void;
}

export interface TerminalSession {
	readonly columns: number;
	readonly rows: number;
	/** What is typed and pasted. */
	readonly keys: KeyStream;
	/** Sends a sequence that draws nothing, as for the clipboard. */
	send(sequence: string): void;
	/** Resolves once the terminal has answered what it was asked, or is not going to: what comes later would be taken for keys. */
	readonly answered: Promise<void>;
	/** Gives the terminal back; a second time does nothing. */
	close(): void;
}

/**
 * Takes over the terminal of this process. Where it is asked what it can show, its answers are input like everything else; none ever
 * comes from a terminal that does not know the questions.
 */
export function openTerminal(events: SessionEvents, asks: Questions): TerminalSession {
	const { stdout } = process;
	let isOpen = true;
	let stopReading: () => void = () => undefined;
	const stopFollowing = followSize(() => {
		if (!isOpen) return;
		put(CLEAR);
		events.resized();
	});
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
			stopFollowing();
			process.off("uncaughtException", crashed);
			process.off("unhandledRejection", crashed);
			for (const [signal, listener] of listeners) process.off(signal, listener);
		}
	}

	process.on("uncaughtException", crashed);
	process.on("unhandledRejection", crashed);
	for (const [signal, listener] of listeners) process.prependListener(signal, listener);
	const questions = (asks.graphics ? GRAPHICS_QUERY + CELL_QUERY : "") + (asks.ground ? GROUND_QUERY : "");
	const answered = Promise.withResolvers<void>();
	if (questions === "") answered.resolve();
	else setTimeout(answered.resolve, PATIENCE_MS);
	const keys = new KeyStream();
	const input = (part: Part) => {
		if (part.type === "keys") keys.push(part.text);
		else if (part.type === "answered") answered.resolve();
		else events.input(part);
	};
	try {
		// First: what the terminal answers before that would be written on the screen.
		stopReading = readInput(input, () => signalled("SIGHUP"));
	} catch (cause) {
		close();
		throw cause;
	}
	// Cleared last: whatever does not know a question may have written it on the screen.
	put(ENTER + questions + (questions === "" ? "" : LAST_QUERY) + CLEAR);
	return {
		get columns() {
			return stdout.columns;
		},
		get rows() {
			return stdout.rows;
		},
		keys,
		send: put,
		answered: answered.promise,
		close,
	};
}

/** Calls `resized` whenever the size has changed, or may have changed and back, until what it answers is called. */
function followSize(resized: () => void): () => void {
	const { stdout } = process;
	let repaints = 0;
	const changed = () => {
		repaints++;
		resized();
	};
	// A size that came back before it was read looks unchanged, but the terminal may have cut the screen off meanwhile.
	const woken = () => {
		const before = repaints;
		setImmediate(() => {
			if (repaints === before) changed();
		});
	};
	stdout.on("resize", changed);
	process.on("SIGWINCH", woken);
	return () => {
		stdout.off("resize", changed);
		process.off("SIGWINCH", woken);
	};
}

function describe(error: unknown): string {
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function readInput(took: (part: Part) => void, hungUp: () => void): () => void {
	const { stdin } = process;
	const parser = createInputParser();
	let timer: ReturnType<typeof setTimeout> | undefined;
	const flush = () => {
		parser.flush().forEach(took);
	};
	const read = () => {
		clearTimeout(timer);
		for (let chunk: unknown = stdin.read(); chunk !== null; chunk = stdin.read()) {
			if (chunk instanceof Uint8Array) parser.push(chunk).forEach(took);
		}
		if (parser.waits !== undefined) timer = setTimeout(flush, WAITS_MS[parser.waits]);
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
