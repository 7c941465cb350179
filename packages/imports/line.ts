/** An item that waits for its turn. */
export interface WaitingItem {
	readonly place: number;
	readonly url: string;
	/** Tries that came to nothing, and when the first of them began; null before. */
	readonly tries: number;
	readonly sinceMs: number | null;
	/** Not before this. */
	readonly dueMs: number;
}

interface LineBounds {
	readonly atOnce: number;
	readonly perHost: number;
}

/** Whose turn it is: in their order, but never too many at once of one host. */
export class ImportLine {
	readonly #bounds: LineBounds;
	readonly #waiting: WaitingItem[];
	readonly #running = new Map<string, number>();
	#atWork = 0;

	constructor(items: readonly WaitingItem[], bounds: LineBounds) {
		this.#bounds = bounds;
		this.#waiting = [...items];
	}

	/** True when nobody waits any more; some may be at work. */
	get isEmpty(): boolean {
		return this.#waiting.length === 0;
	}

	/** The next item that may begin now, which then counts as at work; undefined where none may. */
	next(nowMs: number): WaitingItem | undefined {
		if (this.#atWork >= this.#bounds.atOnce) return undefined;
		const at = this.#waiting.findIndex(({ url, dueMs }) => dueMs <= nowMs && this.#hasRoom(hostOf(url)));
		const [item] = at < 0 ? [] : this.#waiting.splice(at, 1);
		if (item) this.#count(item, 1);
		return item;
	}

	/** It is not at work any more. */
	leave(item: WaitingItem): void {
		this.#count(item, -1);
	}

	/** It comes again. */
	again(item: WaitingItem): void {
		this.#waiting.push(item);
	}

	#hasRoom(host: string): boolean {
		return (this.#running.get(host) ?? 0) < this.#bounds.perHost;
	}

	#count({ url }: WaitingItem, change: 1 | -1): void {
		const host = hostOf(url);
		const left = (this.#running.get(host) ?? 0) + change;
		if (left === 0) this.#running.delete(host);
		else this.#running.set(host, left);
		this.#atWork += change;
	}
}

function hostOf(url: string): string {
	return URL.parse(url)?.host ?? "";
}
