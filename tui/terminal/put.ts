import { writeSync } from "node:fs";
import process from "node:process";

/** A terminal that accepts no bytes for so long is not going to. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 2;

const isFull = (error: unknown) => error instanceof Error && "code" in error && error.code === "EAGAIN";

/**
 * Everything for the terminal goes this way, so that it comes out whole and in order, and is out before the process is gone. A terminal
 * that has been closed takes nothing more, and shows nothing more.
 */
export function put(text: string): void {
	let left: Uint8Array = Buffer.from(text);
	let triedMs = 0;
	while (left.length > 0 && triedMs < PATIENCE_MS) {
		try {
			left = left.subarray(writeSync(process.stdout.fd, left));
			triedMs = 0;
		} catch (error) {
			if (!isFull(error)) return;
			rest();
			triedMs += PAUSE_MS;
		}
	}
}

function rest(): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
