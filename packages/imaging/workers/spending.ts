/** How long what somebody had counts against them. */
const WINDOW_MS = 10_000;

/** The processor time, in priced milliseconds, that each network and each App was given in the last ten seconds. */
export class Spending {
	/** In order of time. What has been taken out again is left in front until there is much of it. */
	readonly #charges: { readonly atMs: number; readonly names: readonly string[]; readonly ms: number }[] = [];
	#from = 0;
	readonly #sums = new Map<string, { ms: number; charges: number }>();

	/** Nobody who had nothing lately is remembered. */
	get names(): number {
		return this.#sums.size;
	}

	charge(names: readonly string[], ms: number, nowMs: number): void {
		this.#forget(nowMs);
		this.#charges.push({ atMs: nowMs, names, ms });
		for (const name of names) {
			const sum = this.#sums.get(name);
			if (!sum) this.#sums.set(name, { ms, charges: 1 });
			else {
				sum.ms += ms;
				sum.charges++;
			}
		}
	}

	of(name: string, nowMs: number): number {
		this.#forget(nowMs);
		return this.#sums.get(name)?.ms ?? 0;
	}

	#forget(nowMs: number): void {
		for (let oldest = this.#charges[this.#from]; oldest; oldest = this.#charges[this.#from]) {
			if (oldest.atMs > nowMs - WINDOW_MS) break;
			this.#from++;
			for (const name of oldest.names) this.#takeBack(name, oldest.ms);
		}
		if (this.#from * 2 <= this.#charges.length) return;
		this.#charges.splice(0, this.#from);
		this.#from = 0;
	}

	#takeBack(name: string, ms: number): void {
		const sum = this.#sums.get(name);
		if (!sum) return;
		sum.ms -= ms;
		sum.charges--;
		// Sums of fractions would leave crumbs behind.
		if (sum.charges === 0) this.#sums.delete(name);
	}
}
