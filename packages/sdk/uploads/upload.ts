/* Files on their way out: as one value that can be sent again, or as a stream that goes out as it comes. */

import { STREAMED } from "../wire/request.ts";

/**
 * Bytes that come by and by: a web stream, or a stream of Node, as `createReadStream(path)`. It can be read once, so an upload of it is sent
 * once: after a failure nothing is repeated.
 */
export type UploadStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** What can be sent again. A function opens its stream anew for each try: `() => createReadStream(path)`. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | (() => UploadStream | Promise<UploadStream>);

export interface UploadProgress {
	/** Of the file, what the connection has taken in this try. */
	readonly sentBytes: number;
	/** Undefined for a stream whose size was not given. */
	readonly totalBytes: number | undefined;
}

type OnProgress = (progress: UploadProgress) => void;

/**
 * Tells of progress, and lets nothing that fails there fail the upload: it goes to the console. Of an empty file there is nothing to tell, and
 * a page that divides by its size would show nonsense.
 */
export function unthrowing(onProgress: OnProgress | undefined): OnProgress | undefined {
	if (onProgress === undefined) return undefined;
	return (progress) => {
		if (progress.totalBytes === 0) return;
		try {
			onProgress(progress);
		} catch (error) {
			// biome-ignore lint/suspicious/noConsole: the page's own fault, which nobody else would tell it.
			console.error("onProgress failed, the upload goes on:", error);
		}
	};
}

/** How a file is sent, and who hears of it. */
export interface Sending {
	readonly onProgress?: OnProgress | undefined;
	/** Size of a stream, where it is known. */
	readonly totalBytes?: number | undefined;
}

/** The most that is handed to the connection at once where somebody hears of it. */
const WATCHED_BYTES = 128 * 1024;

type Fields = readonly (readonly [name: string, value: string])[];

/** One body of one try. */
interface OpenBody {
	readonly stream: ReadableStream<Uint8Array>;
	/** What made the source fail; undefined while it has not. */
	failure(): { readonly error: unknown } | undefined;
	/** Ends the source, wherever it is. Never rejects. */
	close(): void;
}

/** A form whose file goes out as it is read, in a body of its own for each try. */
export class StreamedForm {
	readonly [STREAMED] = true;
	readonly contentType: string;
	/** Whether a second try could send the same. */
	readonly isRepeatable: boolean;
	/** Undefined where nobody knows. */
	readonly totalBytes: number | undefined;
	readonly #open: () => Promise<UploadStream>;
	readonly #onProgress: Sending["onProgress"];
	readonly #head: Uint8Array;
	readonly #tail: Uint8Array;

	constructor(source: UploadSource | UploadStream, fields: Fields, filename: string, sending: Sending) {
		const boundary = `svc-${crypto.randomUUID()}`;
		this.contentType = `multipart/form-data; boundary=${boundary}`;
		this.isRepeatable = !isStream(source);
		this.totalBytes = sizeOf(source) ?? sending.totalBytes;
		this.#open = async () => opened(source);
		this.#onProgress = unthrowing(sending.onProgress);
		this.#head = headOf(boundary, fields, filename);
		this.#tail = new TextEncoder().encode(`\r\n--${boundary}--\r\n`);
	}

	/**
	 * `onMove` is called whenever the connection takes something.
	 * @throws TypeError for a stream that was sent before
	 */
	async open(onMove: () => void): Promise<OpenBody> {
		const source = readerOf(once(await this.#open()));
		const chunks = this.#chunks(source);
		let failed: { readonly error: unknown } | undefined;
		const stream = new ReadableStream<Uint8Array>(
			{
				async pull(controller) {
					try {
						const { done, value } = await chunks.next();
						onMove();
						if (done) controller.close();
						else controller.enqueue(value);
					} catch (error) {
						failed ??= { error };
						throw error;
					}
				},
				cancel: () => source.close(),
			},
			{ highWaterMark: 0 },
		);
		return { stream, failure: () => failed, close: () => source.close() };
	}

	async *#chunks(source: Reader): AsyncGenerator<Uint8Array, void, undefined> {
		const { totalBytes } = this;
		yield this.#head;
		let sentBytes = 0;
		this.#onProgress?.({ sentBytes, totalBytes });
		for (let chunk = await source.read(); chunk !== undefined; chunk = await source.read()) {
			for (const piece of this.#onProgress ? piecesOf(chunk) : [chunk]) {
				yield piece;
				// Whoever asks for the next one has taken this one.
				sentBytes += piece.byteLength;
				this.#onProgress?.({ sentBytes, totalBytes });
			}
		}
		yield this.#tail;
	}
}

/** Some runtimes read a Blob in pieces of 2 MB: over a slow line whoever watches would see nothing move for a long time. */
function* piecesOf(chunk: Uint8Array): Generator<Uint8Array, void, undefined> {
	for (let start = 0; start < chunk.byteLength; start += WATCHED_BYTES)
		yield chunk.subarray(start, start + WATCHED_BYTES);
}

/** Whether a body that is a stream can be sent from here. Browsers do that over some connections only, and do not say over which. */
export function canStream(): boolean {
	return !("document" in globalThis || "importScripts" in globalThis);
}

/** @throws TypeError for a stream that was sent before */
export async function toBlob(source: UploadSource | UploadStream): Promise<Blob> {
	if (source instanceof Blob) return source;
	if (source instanceof ArrayBuffer || source instanceof Uint8Array) return new Blob([source]);
	const reader = readerOf(once(await opened(source)));
	const parts: Uint8Array<ArrayBuffer>[] = [];
	for (let chunk = await reader.read(); chunk !== undefined; chunk = await reader.read()) parts.push(chunk.slice());
	return new Blob(parts);
}

/** Whether it can be read once. */
export function isStream(source: UploadSource | UploadStream): source is UploadStream {
	return typeof source === "object" && (source instanceof ReadableStream || Symbol.asyncIterator in source);
}

function sizeOf(source: UploadSource | UploadStream): number | undefined {
	if (source instanceof Blob) return source.size;
	return source instanceof ArrayBuffer || source instanceof Uint8Array ? source.byteLength : undefined;
}

async function opened(source: UploadSource | UploadStream): Promise<UploadStream> {
	if (typeof source === "function") return await source();
	return isStream(source) ? source : (source instanceof Blob ? source : new Blob([source])).stream();
}

const sent = new WeakSet<UploadStream>();

/** A Node stream that was read to its end would be an empty file, in silence. */
function once(stream: UploadStream): UploadStream {
	if (sent.has(stream)) {
		throw new TypeError(
			"This stream was sent before. Give a function that opens it anew, or a Blob: openAsBlob(path).",
		);
	}
	sent.add(stream);
	return stream;
}

interface Reader {
	/** Undefined at the end. */
	read(): Promise<Uint8Array | undefined>;
	close(): void;
}

function readerOf(stream: UploadStream): Reader {
	if (stream instanceof ReadableStream) {
		const reader = stream.getReader();
		return {
			read: async () => bytesOf((await reader.read()).value),
			close() {
				reader.cancel().catch(() => undefined);
			},
		};
	}
	const iterator = stream[Symbol.asyncIterator]();
	return {
		async read() {
			const { done, value } = await iterator.next();
			return done ? undefined : bytesOf(value);
		},
		close() {
			// A stream of Node that waits for its next bytes is ended by this alone.
			if ("destroy" in stream && typeof stream.destroy === "function") stream.destroy();
			Promise.resolve(iterator.return?.()).catch(() => undefined);
		},
	};
}

/** @throws TypeError for a stream of texts or objects */
function bytesOf(value: unknown): Uint8Array | undefined {
	if (value === undefined || value instanceof Uint8Array) return value;
	throw new TypeError(`A stream that is uploaded yields bytes, not ${typeof value}: it must have no encoding.`);
}

/** All that stands before the file, as `multipart/form-data` is written by browsers. */
function headOf(boundary: string, fields: Fields, filename: string): Uint8Array {
	const start = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`;
	const parts = fields.map(([name, value]) => `${start(name)}\r\n\r\n${value.replaceAll(/\r\n|\r|\n/g, "\r\n")}\r\n`);
	const file = `${start("file")}; filename="${quoted(filename)}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
	return new TextEncoder().encode(`${parts.join("")}${file}`);
}

function quoted(text: string): string {
	return text.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
