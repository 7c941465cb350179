import { open } from "node:fs/promises";

const CHUNK_BYTES = 65_536;

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
