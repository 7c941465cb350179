/**
 * Nothing is read ahead. A cancel that meets a read waits for it inside the generator, whose `finally` then closes what is open;
 * `onCancel` may hurry that read along.
 */
export function streamOf<Bytes extends Uint8Array>(
	chunks: AsyncGenerator<Bytes>,
	onCancel: () => void = () => undefined,
): ReadableStream<Bytes> {
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

export async function* mapped<From, To>(all: AsyncIterable<From>, to: (one: From) => To): AsyncGenerator<To> {
	for await (const one of all) yield to(one);
}
