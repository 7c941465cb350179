import { createReadStream } from "node:fs";
import { Readable } from "node:stream";

/** A file as a request's body: read as it is sent, and closed when the request ends, however it does. */
export function fileStream(path: string): ReadableStream<Uint8Array> {
	// Bun sends its own without reading more than the connection takes; one of `node:fs` it would hold in memory.
	if (typeof Bun !== "undefined") return Bun.file(path).stream();
	const stream: unknown = Readable.toWeb(createReadStream(path));
	return stream as ReadableStream<Uint8Array>;
}
