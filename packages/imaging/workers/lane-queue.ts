import { Linked } from "./linked.ts";

/** What waits: whom it is for, when it came, and what it is worth. */
export interface Waiting {
	readonly network: string;
	readonly app: string;
	readonly cameMs: number;
	/** Priced milliseconds. */
	readonly cpuMs: number;
}

interface NetworkQueue<W> {
	readonly network: string;
	/** In order of arrival. */
	readonly all: Linked<W>;
	readonly apps: Map<string, Linked<W>>;
}

/** A line that has not been empty for this long is one of which the first have given up. */
const STALE_MS = 5_000;

/** One lane's line: a queue for each network and App. */
export class LaneQueue<W extends Waiting> {
	readonly #all = new Linked<W>();
	readonly #networks = new Map<string, NetworkQueue<W>>();
	readonly #exits = new Map<W, () => void>();
	#sinceMs = 0;
	#cpuMs = 0;

	get size(): number {
		return this.#all.size;
	}

	/** What stands in line, in priced milliseconds. */
	get cpuMs(): number {
		return this.#all.size === 0 ? 0 : this.#cpuMs;
	}

	/** Who has waited longest. */
	get oldest(): W | undefined {
		return this.#all.first;
	}

	get networks(): number {
		return this.#networks.size;
	}

	has(network: string): boolean {
		return this.#networks.has(network);
	}

	add(waiter: W): void {
		if (this.#all.size === 0) {
			this.#sinceMs = waiter.cameMs;
			this.#cpuMs = 0;
		}
		this.#cpuMs += waiter.cpuMs;
		const queue = this.#queueOf(waiter.network);
		const ofApp = queue.apps.get(waiter.app) ?? new Linked<W>();
		queue.apps.set(waiter.app, ofApp);
		const exits = [this.#all.push(waiter), queue.all.push(waiter), ofApp.push(waiter)];
		this.#exits.set(waiter, () => {
			for (const exit of exits) exit();
			if (ofApp.size === 0) queue.apps.delete(waiter.app);
			if (queue.all.size === 0) this.#networks.delete(waiter.network);
		});
	}

	/** False when it does not stand in this line. */
	remove(waiter: W): boolean {
		const exit = this.#exits.get(waiter);
		if (!exit) return false;
		this.#exits.delete(waiter);
		this.#cpuMs -= waiter.cpuMs;
		exit();
		return true;
	}

	/**
	 * Whose turn it is: of the network that has had least, and there of the App that has had least; `may` says who can be served at all. Of those
	 * who have had the same it is who has waited longest. Undefined when nobody can be served.
	 */
	next(spent: Spent, may: (network: string, app: string) => boolean, nowMs: number): W | undefined {
		let best: { readonly ms: number; readonly cameMs: number; readonly waiter: W } | undefined;
		for (const queue of this.#networks.values()) {
			const ms = spent.byNetwork(queue.network);
			const cameMs = queue.all.first?.cameMs ?? nowMs;
			if (best && (ms > best.ms || (ms === best.ms && cameMs >= best.cameMs))) continue;
			const waiter = this.#nextOf(queue, spent, may, nowMs);
			if (waiter) best = { ms, cameMs, waiter };
		}
		return best?.waiter;
	}

	/** The newest of the network with most in line; of those with as many it is that of `own`. */
	newestOfLargest(own: string): W | undefined {
		let largest = this.#networks.get(own);
		for (const queue of this.#networks.values()) {
			if (queue.all.size > (largest?.all.size ?? 0)) largest = queue;
		}
		return largest?.all.last;
	}

	#queueOf(network: string): NetworkQueue<W> {
		const known = this.#networks.get(network);
		if (known) return known;
		const queue = { network, all: new Linked<W>(), apps: new Map<string, Linked<W>>() };
		this.#networks.set(network, queue);
		return queue;
	}

	#nextOf(
		{ network, apps }: NetworkQueue<W>,
		spent: Spent,
		may: (network: string, app: string) => boolean,
		nowMs: number,
	): W | undefined {
		const open = [...apps].filter(([app]) => may(network, app));
		const [least] = open.sort(([a], [b]) => spent.byApp(a) - spent.byApp(b));
		return nowMs - this.#sinceMs >= STALE_MS ? least?.[1].last : least?.[1].first;
	}
}

/** What each had lately, in priced milliseconds. */
export interface Spent {
	byNetwork(network: string): number;
	byApp(app: string): number;
}
