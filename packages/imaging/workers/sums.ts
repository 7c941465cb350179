export function sum<T>(all: Iterable<T>, of: (one: T) => number): number {
	let total = 0;
	for (const one of all) total += of(one);
	return total;
}

export function countBy<T>(all: Iterable<T>, by: (one: T) => string): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const one of all) counts.set(by(one), (counts.get(by(one)) ?? 0) + 1);
	return counts;
}

/** The first of those with the smallest number. */
export function least<T>(all: readonly T[], of: (one: T) => number): T | undefined {
	let best: { readonly one: T; readonly number: number } | undefined;
	for (const one of all) {
		const number = of(one);
		if (!best || number < best.number) best = { one, number };
	}
	return best?.one;
}
