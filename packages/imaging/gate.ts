/** Lets at most `places` pieces of work run at once; the rest wait their turn, first come first served. */
export function gate(places: number): <T>(work: () => Promise<T>) => Promise<T> {
	const waiting: (() => void)[] = [];
	let free = places;
	return async (work) => {
		if (free > 0) free--;
		// A place that is given on is never counted as free, so nobody can slip in between.
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = waiting.shift();
			if (next === undefined) free++;
			else next();
		}
	};
}
