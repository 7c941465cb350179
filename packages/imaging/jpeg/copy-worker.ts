import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { writeSequential } from "./sequential.ts";
import { fileSource, UnusualJpeg } from "./source.ts";

/*
 * The program of a child process, started by copy.ts with the paths of a progressive JPEG and of the copy to write. Ends with 0 when
 * the copy is whole.
 */

const UNUSUAL = 3;
/** Runs of thousands of blocks can be a few bits in a progressive JPEG, and four bits each in a sequential one. */
const MOST_GROWTH = 4;
const MORE_BYTES = 8_000_000;

function copy(from: string, to: string): void {
	const source = openSync(from, "r");
	const target = openSync(to, "w");
	const { size } = fstatSync(source);
	writeSequential(fileSource(source, size), MOST_GROWTH * size + MORE_BYTES, (bytes) => {
		for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at);
	});
	closeSync(target);
	closeSync(source);
}

// A signal to the whole group means that the service drains; it waits for what it began.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
const [from = "", to = ""] = process.argv.slice(2);
try {
	copy(from, to);
	process.exit(0);
} catch (error) {
	if (!(error instanceof UnusualJpeg)) throw error;
	process.exit(UNUSUAL);
}
