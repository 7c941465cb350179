/**
 * Who waits, by client: the clients in turn, and each client's own in the order in which they came. A client that has many waiting gets no more of the
 * places than one that has a single one.
 */
export class Rounds<Waiter> {
	/** In the order in which their turns come. */
	readonly #clients = new Map<string, Waiter[]>();
	/** How many wait; counted here alone. */
	size = 0;

	add(client: string, waiter: Waiter): void {
		const own = this.#clients.get(client);
		if (own) own.push(waiter);
		else this.#clients.set(client, [waiter]);
		this.size++;
	}

	/** Whose turn it is, taken out of the line. */
	next(): Waiter | undefined {
		for (const [client, own] of this.#clients) {
			const first = own.shift();
			this.#clients.delete(client);
			if (own.length > 0) this.#clients.set(client, own);
			this.size--;
			return first;
		}
		return undefined;
	}

	/** Whether anybody but this client waits. */
	hasOther(client: string): boolean {
		return this.#clients.size > (this.#clients.has(client) ? 1 : 0);
	}
}
