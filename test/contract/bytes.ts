import { createHash } from "node:crypto";

/** The same bytes for the same size, and no two stretches of them alike. */
export function someBytes(size: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array(size);
	let state = size + 1;
	for (let index = 0; index < size; index++) {
		state = (state * 1_664_525 + 1_013_904_223) >>> 0;
		bytes[index] = state >>> 24;
	}
	return bytes;
}

export function empty(): Uint8Array {
	return new Uint8Array(0);
}

export function numbers(count: number): readonly number[] {
	return Array.from({ length: count }, (_, index) => index);
}

export async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
	yield* chunks;
}

export async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
	for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export async function* throwing(error: Error): AsyncGenerator<Uint8Array> {
	yield someBytes(1_000);
	throw error;
}

/** Tells how many chunks were asked for and whether the reader ended it. */
export function counted(
	size: number,
	count: number,
): { given: number; ended: boolean; chunks: AsyncIterable<Uint8Array> } {
	const chunk = someBytes(size);
	const source = { given: 0, ended: false, chunks: give() };
	async function* give(): AsyncGenerator<Uint8Array> {
		try {
			while (source.given < count) {
				source.given++;
				yield chunk;
			}
		} finally {
			source.ended = true;
		}
	}
	return source;
}

export async function collect(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function hash(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

export function hex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}
