import { readSync, writeSync } from "node:fs";
import { packed, readMessage } from "./pipe.ts";

/* The other end of message-child.ts: a program reads messages from its standard input and writes its own to its standard output. */

/** Waits for the next message and does nothing else meanwhile; undefined where the service is gone or has closed the pipe. */
export function receive(): unknown {
	return readMessage(fill);
}

export function send(message: unknown): void {
	const frame = packed(message);
	for (let at = 0; at < frame.length; ) at += retried(() => writeSync(1, frame, at));
}

/** False where the pipe has ended. */
function fill(into: Uint8Array): boolean {
	for (let at = 0; at < into.length; ) {
		const count = retried(() => readSync(0, into, at, into.length - at, null));
		if (count === 0) return false;
		at += count;
	}
	return true;
}

/** A signal that is ignored may still interrupt a read. */
function retried(call: () => number): number {
	for (;;) {
		try {
			return call();
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			// The service is gone, or wants no answer any more.
			if (code === "EPIPE") process.exit(0);
			if (code !== "EINTR") throw error;
		}
	}
}
