/** Runs work whose weight is known beforehand. */
export type WeightedGate = <T>(weight: number, work: () => Promise<T>) => Promise<T>;

/**
 * Lets work run at once whose weights add up to at most `capacity`, and what weighs more than that alone. First come, first served: who
 * is heavy holds up those who came later rather than being passed by them for ever.
 */
export function weightedGate(capacity: number): WeightedGate {
	const waiting: { readonly weight: number; readonly start: () => void }[] = [];
	let running = 0;
	let used = 0;
	const admit = () => {
		for (let first = waiting[0]; first && (running === 0 || used + first.weight <= capacity); first = waiting[0]) {
			waiting.shift();
			running++;
			used += first.weight;
			first.start();
		}
	};
	return async (weight, work) => {
		await new Promise<void>((start) => {
			waiting.push({ weight, start });
			admit();
		});
		try {
			return await work();
		} finally {
			running--;
			used -= weight;
			admit();
		}
	};
}
