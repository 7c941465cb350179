import { open } from "node:fs/promises";

/** Bytes of a file from an offset on; fewer where it ends before. */
export type BytesAt = (offset: number, count: number) => Promise<Uint8Array>;

/** Lets `look` read some parts of a picture, and not all of it. */
export async function withBytesOf<T>(input: string | Uint8Array, look: (at: BytesAt) => Promise<T>): Promise<T> {
	if (typeof input !== "string") return await look(async (offset, count) => input.subarray(offset, offset + count));
	const file = await open(input, "r");
	try {
		return await look(async (offset, count) => {
			const { buffer, bytesRead } = await file.read(new Uint8Array(count), 0, count, offset);
			return buffer.subarray(0, bytesRead);
		});
	} finally {
		await file.close();
	}
}
