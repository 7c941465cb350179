import { open } from "node:fs/promises";

const CHUNK_BYTES = 65_536;

/**
 * Nothing is read ahead. A cancel that meets a read waits for it inside the generator, whose `finally` then closes what is open;
 * `onCancel` may hurry that read along.
 */
export function streamOf(
	chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>,
	onCancel: () => void = () => undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
	return new ReadableStream(
		{
			async pull(controller) {
				const next = await chunks.next();
				if (next.done) controller.close();
				else controller.enqueue(next.value);
			},
			async cancel() {
				onCancel();
				await chunks.return(undefined);
			},
		},
		{ highWaterMark: 0 },
	);
}

/** Part of a file, both ends inclusive. @throws Error for a file that ends before */
export async function* readRange(path: string, first: number, last: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	const file = await open(path, "r");
	try {
		for (let position = first; position <= last; ) {
			const chunk = new Uint8Array(Math.min(CHUNK_BYTES, last + 1 - position));
			const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
			if (bytesRead === 0) throw new Error(`${path} ends before byte ${last}`);
			position += bytesRead;
			yield chunk.subarray(0, bytesRead);
		}
	} finally {
		await file.close();
	}
}
