import process from "node:process";
import { LocalError } from "@svc/base/processes/exit";
import type { Terminal } from "./kit/process.ts";

/*
 * The streams of this process. Those of `node:process` take three times as long to load as Bun takes to start; on Bun they are loaded only where a
 * person watches, who is asked, or whose terminal has a size.
 */

type Descriptor = 0 | 1 | 2;

/** What Bun has of its own, as far as it is used here. */
interface OwnBun {
	readonly stdout: object;
	readonly stderr: object;
	write(to: object, text: string): Promise<number>;
	file(path: string): { text(): Promise<string> };
}

interface Runtime {
	readonly Bun?: OwnBun;
}

const { Bun: bun } = globalThis as Runtime;

const isTerminal = bun === undefined ? undefined : ownTest();

/** Whether a descriptor is a terminal. */
export function isTerminalAt(descriptor: Descriptor): boolean {
	if (isTerminal !== undefined) return isTerminal(descriptor);
	return [process.stdin, process.stdout, process.stderr][descriptor]?.isTTY === true;
}

/** Bun's own test, without the streams; undefined where this version has none. */
function ownTest(): ((descriptor: Descriptor) => boolean) | undefined {
	try {
		const { binding } = process as unknown as { binding(name: string): { isTTY?(descriptor: Descriptor): boolean } };
		const { isTTY } = binding("tty_wrap");
		return isTTY && ((descriptor) => isTTY(descriptor));
	} catch {
		return undefined;
	}
}

/** Writes resolve when the text has left the process, so that a full pipe slows the program down instead of filling its memory. */
export function terminalAt(descriptor: 1 | 2): Terminal {
	if (bun === undefined || isTerminal === undefined || isTerminal(descriptor)) return streamed(descriptor);
	let written: Promise<unknown> = Promise.resolve();
	let checked: Promise<void> | undefined;
	return {
		...{ isTerminal: false, columns: 80, rows: 24 },
		async write(text) {
			checked ??= refuseClosed(descriptor, bun);
			await checked;
			// One after another: two at once would be in no order.
			const mine = written.then(() => bun.write(descriptor === 1 ? bun.stdout : bun.stderr, text));
			written = mine.catch(() => undefined);
			await mine;
		},
	};
}

/** What Linux says of a descriptor that whoever started this program has not handed on (O_CLOEXEC, in octal). */
const OPENED_HERE = /^flags:\s+\d*[2367]\d{6}$/m;

/**
 * Where standard output was closed, Bun opens /dev/null in its place, so that nothing would ever fail. Only Linux tells.
 * @throws LocalError
 */
async function refuseClosed(descriptor: 1 | 2, { file }: OwnBun): Promise<void> {
	if (descriptor !== 1 || process.platform !== "linux") return;
	const about = await file("/proc/self/fdinfo/1")
		.text()
		.catch(() => "");
	if (OPENED_HERE.test(about))
		throw new LocalError("Standard output is closed: nothing can be printed.", "Leave it open, or add: > /dev/null");
}

function streamed(descriptor: 1 | 2): Terminal {
	const stream = descriptor === 1 ? process.stdout : process.stderr;
	// The callback of the write gets the same error; without a listener it would end the process first.
	stream.on("error", () => undefined);
	return {
		write: (text) =>
			new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve()))),
		isTerminal: stream.isTTY === true,
		// Terminals that do not know their size say that it is 0.
		columns: stream.columns || 80,
		rows: stream.rows || 24,
	};
}
