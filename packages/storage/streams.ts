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
