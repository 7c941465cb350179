/**
 * Results in the order of the items, with a few items worked on at once; each is taken when there is room for it. `work` must not reject,
 * since nothing waits for it yet.
 */
export async function* inOrder<T, R>(
	items: Iterable<T> | AsyncIterable<T>,
	atOnce: number,
	work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
	const running: Promise<R>[] = [];
	for await (const item of items) {
		running.push(work(item));
		const first = running.length >= atOnce ? running.shift() : undefined;
		if (first !== undefined) yield await first;
	}
	for (const one of running) yield await one;
}
