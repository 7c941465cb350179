/** A list of which any item can be taken out for the same small price, and which has two ends. */
export class Linked<Item> {
	#first: Link<Item> | undefined;
	#last: Link<Item> | undefined;
	#size = 0;

	get size(): number {
		return this.#size;
	}

	get first(): Item | undefined {
		return this.#first?.item;
	}

	get last(): Item | undefined {
		return this.#last?.item;
	}

	/** Returns what takes the item out again; a second call does nothing. */
	push(item: Item): () => void {
		const link: Link<Item> = { item, before: this.#last, after: undefined };
		if (this.#last) this.#last.after = link;
		else this.#first = link;
		this.#last = link;
		this.#size++;
		let there = true;
		return () => {
			if (there) this.#unlink(link);
			there = false;
		};
	}

	#unlink({ before, after }: Link<Item>): void {
		if (before) before.after = after;
		else this.#first = after;
		if (after) after.before = before;
		else this.#last = before;
		this.#size--;
	}
}

interface Link<Item> {
	readonly item: Item;
	before: Link<Item> | undefined;
	after: Link<Item> | undefined;
}
