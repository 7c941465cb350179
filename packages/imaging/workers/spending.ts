/** A piece of work, and for whom it is. */
interface Spender {
	readonly network: string;
	readonly app: string;
	/** Priced milliseconds. */
	readonly cpuMs: number;
}

/** How long what somebody had counts against them. */
const WINDOW_MS = 10_000;

/** The processor time, in priced milliseconds, that each network and each App was given in the last ten seconds. Nobody else is remembered. */
export class Spending {
	/** In order of time. */
	readonly #charges: { readonly atMs: number; readonly names: readonly string[]; readonly ms: number }[] = [];
	readonly #sums = new Map<string, number>();

	charge(work: Spender, nowMs: number): void {
		const names = [networkOf(work), appOf(work)];
		// Sums of fractions would leave crumbs behind.
		const ms = Math.ceil(work.cpuMs);
		this.#charges.push({ atMs: nowMs, names, ms });
		for (const name of names) this.#add(name, ms);
	}

	of(name: string, nowMs: number): number {
		for (let [oldest] = this.#charges; oldest && oldest.atMs <= nowMs - WINDOW_MS; [oldest] = this.#charges) {
			this.#charges.shift();
			for (const spender of oldest.names) this.#add(spender, -oldest.ms);
		}
		return this.#sums.get(name) ?? 0;
	}

	#add(name: string, ms: number): void {
		const after = (this.#sums.get(name) ?? 0) + ms;
		if (after > 0) this.#sums.set(name, after);
		else this.#sums.delete(name);
	}
}

export function networkOf({ network }: Pick<Spender, "network">): string {
	return `n ${network}`;
}

export function appOf({ app }: Pick<Spender, "app">): string {
	return `a ${app}`;
}
