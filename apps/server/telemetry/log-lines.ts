import { writeSync } from "node:fs";

/** More than this is written at once, in bytes. */
const GATHERED_MAX = 8_192;
/** How long a reader that takes no more is left alone. */
const AGAIN_MS = 100;
/** What waits for such a reader, in bytes: what comes then is lost. */
const WAITING_MAX = 1_024 ** 2;

type Write = (bytes: Uint8Array) => number;

/**
 * Lines for standard error. What is logged in one turn of the event loop goes out in one call of the kernel, whose cost is that of many lines; at
 * the end of the process as well. Nobody waits for whoever reads them: lines are lost where that one is gone, or falls far behind.
 */
export function gathered(write: Write = (bytes) => writeSync(2, bytes)): { write(line: string): void } {
	let waiting = Buffer.alloc(0);
	let lines: string[] = [];
	let gatheredBytes = 0;
	let isDue = false;

	function flush(): void {
		isDue = false;
		waiting = Buffer.concat([waiting, Buffer.from(lines.join(""))]);
		lines = [];
		gatheredBytes = 0;
		waiting = Buffer.from(leftOf(waiting, write));
		if (waiting.length > 0) due(() => setTimeout(flush, AGAIN_MS).unref());
	}
	function due(plan: () => void): void {
		if (!isDue) plan();
		isDue = true;
	}
	process.on("exit", flush);
	return {
		write(line) {
			if (waiting.length > WAITING_MAX) return;
			lines.push(line);
			gatheredBytes += line.length;
			if (gatheredBytes > GATHERED_MAX && waiting.length === 0) flush();
			else due(() => setImmediate(flush));
		},
	};
}

/** What a reader that takes no more has left; nothing where there is none any more. */
function leftOf(bytes: Uint8Array, write: Write): Uint8Array {
	let left = bytes;
	try {
		while (left.length > 0) left = left.subarray(write(left));
		return left;
	} catch (error) {
		const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
		return isFull ? left : new Uint8Array();
	}
}
