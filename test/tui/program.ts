import { fileURLToPath } from "node:url";
import { type IBufferCell, Terminal } from "@xterm/headless";

/* The real program on a real pseudo-terminal, and a screen that understands what it writes. */

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const POLL_MS = 20;
/** As long as a busy machine may need. */
const WITHIN_MS = 40_000;

export interface ProgramOptions {
	readonly env: Readonly<Record<string, string>>;
	readonly args?: readonly string[];
	/** Loaded before the program: to make it fail. */
	readonly preload?: string;
	/** Where it is started. */
	readonly cwd?: string;
	readonly columns?: number;
	readonly rows?: number;
	/** What this terminal knows: to each of these it answers, once for each time that it is written. */
	readonly answers?: Readonly<Record<string, string>>;
}

type CellColour = { readonly kind: "rgb" | "palette"; readonly value: number } | undefined;

export interface ScreenCell {
	readonly text: string;
	/** Undefined: the terminal's own. */
	readonly ink: CellColour;
	readonly ground: CellColour;
	readonly isBold: boolean;
	readonly isDim: boolean;
	readonly isInverse: boolean;
}

export interface Program extends AsyncDisposable {
	readonly pid: number;
	/** What is on the screen now. */
	lines(): string[];
	/** The same with the style of each cell. */
	looks(): string[];
	/** Each row's cells, for a picture of them. */
	cells(): readonly (readonly ScreenCell[])[];
	readonly isAlternate: boolean;
	/** Everything that was written, escapes included. */
	written(): string;
	type(text: string): void;
	resize(columns: number, rows: number): Promise<void>;
	/** Waits for a screen that fits. @throws Error with the screen that was there instead */
	until(wanted: string | RegExp | ((lines: string[]) => boolean)): Promise<string[]>;
	/** Waits for something that no screen shows. @throws Error */
	untilWritten(wanted: string | RegExp): Promise<void>;
	/** What it wrote last may still be on its way to the screen. */
	readonly exited: Promise<number>;
}

function fits(lines: string[], wanted: string | RegExp | ((lines: string[]) => boolean)): boolean {
	const text = lines.join("\n");
	if (typeof wanted === "string") return text.includes(wanted);
	return wanted instanceof RegExp ? wanted.test(text) : wanted(lines);
}

async function poll(isTrue: () => boolean | Promise<boolean>, problem: () => string): Promise<void> {
	const endMs = Date.now() + WITHIN_MS;
	while (!(await isTrue())) {
		if (Date.now() > endMs) throw new Error(problem());
		await Bun.sleep(POLL_MS);
	}
}

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

/** What can be shown of a text, and the rest from a frame on that has no end yet. */
function wholeFrames(text: string): readonly [string, string] {
	const at = text.lastIndexOf(BEGIN);
	return at === -1 || text.includes(END, at) ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

function lookOf(cell: IBufferCell): string {
	const colours = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor()];
	return [cell.getChars() || " ", cell.isBold(), cell.isDim(), cell.isInverse(), ...colours].join(",");
}

function cellOf(cell: IBufferCell | undefined): ScreenCell {
	const colour = (isRgb: boolean | undefined, isPalette: boolean | undefined, value: number | undefined): CellColour =>
		value !== undefined && (isRgb || isPalette) ? { kind: isRgb ? "rgb" : "palette", value } : undefined;
	return {
		text: cell?.getChars() || " ",
		ink: colour(cell?.isFgRGB(), cell?.isFgPalette(), cell?.getFgColor()),
		ground: colour(cell?.isBgRGB(), cell?.isBgPalette(), cell?.getBgColor()),
		isBold: Boolean(cell?.isBold()),
		isDim: Boolean(cell?.isDim()),
		isInverse: Boolean(cell?.isInverse()),
	};
}

function lineAt({ buffer: { active } }: Terminal, row: number) {
	return active.getLine(active.baseY + row);
}

/** Each row with the style of each of its cells. */
export function looksOf(screen: Terminal): string[] {
	return Array.from({ length: screen.rows }, (_, row) =>
		Array.from({ length: screen.cols }, (_cell, column) => {
			const cell = lineAt(screen, row)?.getCell(column);
			return cell === undefined ? "" : lookOf(cell);
		}).join(" "),
	);
}

export function startProgram(options: ProgramOptions): Program {
	const { env, args = [], preload, cwd, columns = 120, rows = 30, answers = {} } = options;
	const screen = new Terminal({ cols: columns, rows, allowProposedApi: true });
	let written = "";
	/** A frame that has only begun, as terminals hold it back. */
	let unshown = "";
	let isDrawn = Promise.resolve();
	const decoder = new TextDecoder();
	const pty = new Bun.Terminal({
		cols: columns,
		rows,
		data(terminal, data) {
			const text = decoder.decode(data, { stream: true });
			written += text;
			unshown += text;
			for (const [asked, answer] of Object.entries(answers)) if (text.includes(asked)) terminal.write(answer);
			const [whole, rest] = wholeFrames(unshown);
			unshown = rest;
			isDrawn = new Promise((resolve) => screen.write(whole, resolve));
		},
	});
	const { HOME = "/", PATH = "/bin" } = process.env;
	const child = Bun.spawn(
		[process.execPath, ...(preload === undefined ? [] : ["--preload", preload]), MAIN, "tui", ...args],
		{ terminal: pty, ...(cwd !== undefined && { cwd }), env: { HOME, PATH, TERM: "xterm-256color", ...env } },
	);
	const lines = () =>
		Array.from({ length: screen.rows }, (_, row) => lineAt(screen, row)?.translateToString(true) ?? "");
	return {
		pid: child.pid,
		lines,
		looks: () => looksOf(screen),
		cells: () =>
			Array.from({ length: screen.rows }, (_, row) =>
				Array.from({ length: screen.cols }, (_cell, column) => cellOf(lineAt(screen, row)?.getCell(column))),
			),
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
		async until(wanted) {
			await poll(
				async () => {
					await isDrawn;
					return fits(lines(), wanted);
				},
				() => `Never saw ${String(wanted)}:\n${lines().join("\n")}`,
			);
			return lines();
		},
		untilWritten: (wanted) =>
			poll(
				() => (typeof wanted === "string" ? written.includes(wanted) : wanted.test(written)),
				() => `Never wrote ${String(wanted)}`,
			),
		exited: child.exited,
		async [Symbol.asyncDispose]() {
			child.kill("SIGKILL");
			await child.exited;
			pty.close();
			screen.dispose();
		},
	};
}
